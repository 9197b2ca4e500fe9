# SPDX-License-Identifier: MIT
# Reads charges (sim/observe/charge_table.h). Writes C that keeps the functions that they name out of line, each in the
# unit of its processor.
{ sub(/#.*/, ""); sub(/:.*/, "") }
$1 == "charge"   { name = $4 }
$1 == "executed" { name = $2 }
$1 == "charge" || $1 == "executed" {
    second = / on B( |$)/
    if (!seen[name, second]++)
        printf "#if NIC_PROCESSOR == %d\n__typeof__(%s) %s __attribute__((noipa));\n#endif\n", second, name, name
}
