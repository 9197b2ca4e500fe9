/* SPDX-License-Identifier: MIT */
/* tigonsim serve: a run whose hosts are other programs. */
#include "sim/command/command.h"
#include "sim/command/serve_options.h"

int command_serve(int count, char **texts) {
    serve_options_enable();
    return command_run(count, texts);
}
