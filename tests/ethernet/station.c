/* SPDX-License-Identifier: MIT */
/* See station.h. */
#include "tests/ethernet/station.h"

#include <stdio.h>

int station_program(struct tigon_host *host, void *argument) {
    struct station *station = argument;
    struct ethernet *ethernet = &station->ethernet;
    struct traffic *traffic = &station->traffic;
    const char *error = ethernet->error;
    if (ethernet_open(ethernet, host, &station->options, station->image, ETHERNET_UP_NS) == 0) {
        if (!ethernet_await_link(ethernet, true, ETHERNET_LINK_NS)) {
            (void)ethernet_fail(ethernet, "the link does not come up");
        } else {
            tigon_host_sleep_ns(host, station->settle_ns);
            traffic->ethernet = ethernet;
            traffic_begin(traffic, &station->plan);
            (void)traffic_exchange(traffic);
            error = traffic->error;
        }
    }
    (void)snprintf(station->error, sizeof station->error, "%s", error);
    return station->error[0] != '\0' || traffic->wrong != 0 ? 1 : 0;
}
