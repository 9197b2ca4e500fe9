/* SPDX-License-Identifier: MIT */
/*
 * The host functions of sim/tigon.h over a socket, so that a host program written for the inside of
 * the simulator runs unchanged as a process of its own. A program links this in place of
 * libtigon.a; only the functions for its own host exist here (no wires, faults, other programs). In
 * lock step it gets the same results as inside, to the picosecond.
 *
 * A function that cannot fail in the simulator prints a message and ends the process when the
 * connection is lost.
 */
#ifndef SIM_SERVE_CLIENT_REMOTE_HOST_H
#define SIM_SERVE_CLIENT_REMOTE_HOST_H

#include "sim/serve/client/tigon_client.h"
#include "sim/tigon.h"

/* The host of `client`. NULL, after a message, when the server does not describe its boards. */
struct tigon_host *tigon_remote_host(struct tigon_client *client);
/* Leaves the client open. */
void tigon_remote_host_free(struct tigon_host *host);

#endif
