# SPDX-License-Identifier: MIT
"""A Slurm cluster of one node on this machine: slurmctld, slurmd and munged of Debian, on loopback, for the caller's user."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
CONFIGURATION = """
ClusterName=campaign
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={work}/munge.socket,cred_expire=5
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.pid
SlurmctldLogFile={work}/slurmctld.log
SlurmdLogFile={work}/slurmd.log
SlurmdTimeout=10
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=campaign Nodes=ALL Default=YES State=UP
"""


def installed() -> bool:
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    return all(shutil.which(daemon, path=path) for daemon in DAEMONS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(what: str, true: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"expected within {seconds:.0f} s: {what}")
        time.sleep(0.2)


class Cluster:
    """Context manager. `work` is a directory of its own with a short path: sockets lie in it."""

    def __init__(self, work: Path, processors: int) -> None:
        self.work = work
        self.configuration = work / "slurm.conf"
        self.host = socket.gethostname().split(".", 1)[0]
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(self.configuration),
            "PATH": os.environ.get("PATH", "") + ":/usr/sbin",
        }
        for directory in ("state", "spool"):
            (work / directory).mkdir()
        (work / "munge.key").write_bytes(os.urandom(1024))
        (work / "munge.key").chmod(0o600)
        self.configuration.write_text(
            CONFIGURATION.format(
                host=self.host,
                controller_port=free_port(),
                node_port=free_port(),
                user=getpass.getuser(),
                work=work,
                processors=processors,
            ),
            encoding="utf-8",
        )

    def start(self, daemon: str, *arguments: str) -> None:
        with (self.work / f"{daemon}.output").open("ab") as output:
            # pylint: disable=consider-using-with
            self.daemons[daemon] = subprocess.Popen(
                [daemon, *arguments],
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def start_node(self) -> None:
        self.start("slurmd", "-D", "-N", self.host)

    def __enter__(self) -> Cluster:
        names = {"socket": "munge.socket", "key-file": "munge.key"}
        names |= {"pid-file": "munged.pid", "log-file": "munged.log"}
        names |= {"seed-file": "munged.seed"}
        files = [f"--{option}={self.work / name}" for option, name in names.items()]
        self.start("munged", "--foreground", "--force", *files)
        wait_until("munged", (self.work / "munge.socket").exists, 10)
        self.start("slurmctld", "-D")
        self.start_node()
        wait_until("a node that is idle", lambda: "idle" in self.node_state(), 60)
        return self

    def __exit__(self, *_: object) -> None:
        self.lose_node()
        for process in self.daemons.values():
            process.terminate()
        for process in self.daemons.values():
            process.wait(20)

    def run(self, *command: str) -> str:
        result = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{shlex.join(command)}: {result.stderr}"
        return result.stdout

    def node_state(self) -> str:
        return self.run("sinfo", "--noheader", "--format=%t")

    def jobs(self, *states: str) -> list[str]:
        """Lines of squeue; it shows a job array's waiting tasks as one."""
        selected = [f"--states={','.join(states)}"] if states else []
        return self.run(
            "squeue", "--noheader", "--format=%A %T", *selected
        ).splitlines()

    def lose_node(self) -> None:
        """As if its power had failed: the daemon and all that it started are gone."""
        for name in Path("/proc").glob("[0-9]*"):
            try:
                if (
                    f"SLURM_CONF={self.configuration}".encode()
                    in (name / "environ").read_bytes()
                ):
                    executable = (name / "exe").readlink().name
                    if not executable.startswith(("munged", "slurmctld")):
                        os.kill(int(name.name), signal.SIGKILL)
            except OSError:
                continue  # it has ended, or belongs to somebody else
        if "slurmd" in self.daemons:
            self.daemons["slurmd"].wait(20)
