/**
 * What a program may not do in a compartment. One program tries it all: in a compartment each is refused; as root of the
 * machine, in a container without the guards, each succeeds, so that it is the guards that refuse.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { testFolder, waitFor } from "../harness/index.ts"
import { type Machine, runToEnd, startMachine } from "./machine.ts"
import { dockerAt, sharedEngine } from "./shared-engine.ts"

/** Numbers of system calls on x86-64 and on arm64. */
const ATTACKS = `
import ctypes, os, platform, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
number = {"add_key": 217 if arm else 248, "bpf": 280 if arm else 321, "userfaultfd": 282 if arm else 323, "socket": 198 if arm else 41}

def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")

def mount():
    os.makedirs("/tmp/mounted", exist_ok=True)
    call(libc.mount(b"none", b"/tmp/mounted", b"tmpfs", 0, None))

def raw_socket():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()

def packet_socket():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()

def machine_socket():
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()

def machine_socket_with_high_bits():
    call(libc.syscall(number["socket"], ctypes.c_long(socket.AF_VSOCK | 1 << 32), 1, 0))

def ring():
    call(libc.syscall(425, 1, ctypes.create_string_buffer(120)))

def trace_another():
    victim = int(os.environ.get("VICTIM", "0")) or other_user()
    call(libc.ptrace(16, victim, None, None))
    os.waitpid(victim, 0x40000000)
    libc.ptrace(17, victim, None, None)

def other_user():
    pid = os.fork()
    if pid == 0:
        os.setuid(1001)
        time.sleep(1000)
    time.sleep(0.2)
    return pid

def key():
    call(libc.syscall(number["add_key"], b"user", b"name", b"value", 5, -2))

def bpf():
    attributes = ctypes.create_string_buffer((2).to_bytes(4, "little") + (4).to_bytes(4, "little") * 2 + (1).to_bytes(4, "little") + bytes(112))
    call(libc.syscall(number["bpf"], 0, attributes, 128))

def userfaultfd():
    call(libc.syscall(number["userfaultfd"], 0))

def user_namespace():
    pid = os.fork()
    if pid == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    if os.waitpid(pid, 0)[1] != 0:
        raise OSError(1, "refused")

def device():
    os.mknod("/tmp/device", 0o20600, os.makedev(1, 11))
    open("/tmp/device", "rb").close()

def become_root():
    os.setuid(0)

def change_root():
    pid = os.fork()
    if pid == 0:
        try:
            os.chroot("/tmp")
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1] != 0:
        raise OSError(1, "refused")

def host_name():
    socket.sethostname("other")

def kernel_setting():
    open("/proc/sys/kernel/domainname", "w").close()

def kernel_log():
    call(libc.klogctl(3, ctypes.create_string_buffer(100), 100))

for attack in (mount, raw_socket, packet_socket, machine_socket, machine_socket_with_high_bits, ring, trace_another, key, bpf, userfaultfd, user_namespace, device, become_root,
               change_root, host_name, kernel_setting, kernel_log):
    try:
        attack()
        print(attack.__name__, "done", flush=True)
    except OSError as error:
        print(attack.__name__, "refused", flush=True)
os._exit(0)
`

const NAMES = [
  "mount",
  "raw_socket",
  "packet_socket",
  "machine_socket",
  "machine_socket_with_high_bits",
  "ring",
  "trace_another",
  "key",
  "bpf",
  "userfaultfd",
  "user_namespace",
  "device",
  "become_root",
  "change_root",
  "host_name",
  "kernel_setting",
  "kernel_log"
]

/** Some machines cannot give a container all of their own capabilities, which is why it is not simply privileged. */
const FREE = [
  ...["SYS_ADMIN", "SYS_PTRACE", "NET_RAW", "NET_ADMIN", "SYSLOG"].map((name) => `--cap-add=${name}`),
  "--security-opt=seccomp=unconfined",
  "--security-opt=systempaths=unconfined",
  "--device-cgroup-rule=c *:* rwm"
]

/** A copy of `id` that runs as its owner, which is root. */
const SETUID_ID = "/usr/local/bin/setuid-id"
const IMAGE = "hub-test-setuid"

let machine: Machine

/** Adds the copy to the shared image: compartments get no such program. */
const makeImage = async (): Promise<void> => {
  const { socket, image } = await sharedEngine()
  const docker = dockerAt(socket)
  const copy = `cp /usr/bin/id ${SETUID_ID} && chmod 4755 ${SETUID_ID}`
  await docker(["run", "--name", IMAGE, "--user=0", "--network=none", image, "bash", "-c", copy])
  await docker(["commit", "--change", "USER 1000:1000", IMAGE, IMAGE])
  await docker(["rm", IMAGE])
}

beforeAll(async () => {
  await makeImage()
  machine = await startMachine({ image: IMAGE })
})

afterAll(async () => {
  await machine?.stop()
})

it("is refused in a compartment, and done where the guards are not", async () => {
  const find = "until VICTIM=$(pgrep -u fill -x sleep); do sleep 0.1; done; export VICTIM; echo $VICTIM"
  const running = runToEnd(machine, `${find}; python3 - <<'EOF'\n${ATTACKS}\nEOF\n`)
  // The victim is another user's process in the same container.
  const victim = { user: "fill", argv: ["sleep", "1000"], detach: true }
  await waitFor(() => machine.host.exec("cmp_1", victim), { describe: "a process of another user" })
  const [pid, ...guarded] = (await running).stdout
  expect(Number(pid)).toBeGreaterThan(1)
  expect(guarded).toEqual(NAMES.map((name) => `${name} refused`))
  const file = join(await testFolder("guards"), "attacks.py")
  await writeFile(file, ATTACKS)
  const bare = ["run", "--rm", "--userns=host", "--user=0", "--network=none", ...FREE, "-v", `${file}:/attacks.py:ro`]
  const free = await machine.docker(...bare, machine.settings.image, "python3", "/attacks.py")
  expect(free.trim().split("\n")).toEqual(NAMES.map((name) => `${name} done`))
})

it("a program of root's does not run as root in a compartment, and does elsewhere", async () => {
  const { stdout } = await runToEnd(
    machine,
    `${SETUID_ID} -u; cp ${SETUID_ID} /data/work/; chmod 4755 /data/work/setuid-id; /data/work/setuid-id -u`
  )
  expect(stdout).toEqual(["1000", "1000"])
  const free = ["run", "--rm", "--network=none", "--user=1000:1000", machine.settings.image, SETUID_ID, "-u"]
  expect((await machine.docker(...free)).trim()).toBe("0")
})

it("has no capability, no way to more, and a filter of system calls", async () => {
  const { stdout } = await runToEnd(
    machine,
    "grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status; cat /proc/self/uid_map"
  )
  const status = stdout.slice(0, -1).map((line) => line.split(/\s+/))
  for (const [name, value] of status)
    expect([name, value]).toEqual([
      name,
      name?.startsWith("Cap") ? "0000000000000000" : name === "Seccomp:" ? "2" : "1"
    ])
  expect(status).toHaveLength(6)
  expect(stdout.at(-1)?.trim().split(/\s+/)).toEqual(["0", String(machine.host.facts.rootUid), "65536"])
})

it("programs make sockets of the internet, of the machine's own, pairs, threads and processes", async () => {
  const program = `
import socket, subprocess, threading
for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET6, socket.SOCK_DGRAM), (socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW)):
    socket.socket(family, kind).close()
socket.socketpair()
socket.if_nameindex()
thread = threading.Thread(target=lambda: print("thread"))
thread.start()
thread.join()
print(subprocess.run(["echo", "process"], capture_output=True, text=True).stdout.strip())
`
  const { stdout } = await runToEnd(machine, `python3 - <<'EOF'\n${program}\nEOF\n`)
  expect(stdout).toEqual(["thread", "process"])
})
