/**
 * The system call filter of a compartment, in the engine's format. A call that is not listed here fails with EPERM.
 *
 * Invariants
 *  - Sockets belong to families that the firewall filters, or that stay on the machine. AF_VSOCK is forbidden, because
 *    it bypasses network namespaces. A family is compared as a 64-bit number, so that high bits cannot hide another
 *    one.
 *  - Only the machine's own architecture is allowed. The 32-bit `socketcall` has its family in memory, which no filter
 *    can read. io_uring is not allowed, because it makes sockets without a system call.
 *  - No namespace can be created. `clone3` has its flags in memory, so it fails as if it did not exist, and libraries
 *    use `clone` instead.
 */

const EQUAL = "SCMP_CMP_EQ"
const MASKED = "SCMP_CMP_MASKED_EQ"
const ENOSYS = 38

/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, by which libraries list addresses. */
const FAMILIES = [1, 2, 10, 16] as const
const AF_UNIX = 1
/** All flags of `clone` that create a namespace. */
const NAMESPACES = 0x7e020000
/** Linux, 32 bits, release 2.6, the last two together, and the question for the present one. */
const PERSONALITIES = [0x0, 0x8, 0x20000, 0x20008, 0xffffffff] as const

const ALLOWED = [
  "accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset chdir chmod chown",
  "clock_adjtime clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range creat dup",
  "dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait",
  "epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate",
  "fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork",
  "fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake",
  "futimesat getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid",
  "getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit get_robust_list getrusage getsid",
  "getsockname getsockopt get_thread_area gettid gettimeofday getuid getxattr inotify_add_watch inotify_init",
  "inotify_init1 inotify_rm_watch io_cancel ioctl io_destroy io_getevents io_pgetevents ioprio_get ioprio_set",
  "io_setup io_submit kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link",
  "linkat listen listxattr llistxattr lremovexattr lseek lsetxattr lstat madvise map_shadow_stack membarrier",
  "memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap modify_ldt mprotect",
  "mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap msgctl msgget msgrcv msgsnd",
  "msync munlock munlockall munmap nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal",
  "pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl pread64 preadv preadv2 prlimit64",
  "process_mrelease process_vm_readv process_vm_writev pselect6 ptrace pwrite64 pwritev pwritev2 read readahead",
  "readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr rename renameat renameat2",
  "restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn",
  "rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_getaffinity sched_getattr sched_getparam",
  "sched_get_priority_max sched_get_priority_min sched_getscheduler sched_rr_get_interval sched_setaffinity",
  "sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop",
  "sendfile sendmmsg sendmsg sendto setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid",
  "setresgid setresuid setreuid setrlimit set_robust_list setsid setsockopt set_thread_area set_tid_address",
  "setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 splice stat statfs statx",
  "symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timerfd_create",
  "timerfd_gettime timerfd_settime timer_getoverrun timer_gettime timer_settime times tkill truncate umask uname",
  "unlink unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev"
].flatMap((line) => line.split(" "))

interface Argument {
  readonly index: number
  readonly value: number
  readonly valueTwo?: number
  readonly op: typeof EQUAL | typeof MASKED
}

const allowed = (names: ReadonlyArray<string>, ...args: ReadonlyArray<Argument>) => ({
  names,
  action: "SCMP_ACT_ALLOW",
  args
})

const equal = (index: number, value: number): Argument => ({ index, value, op: EQUAL })

/** The machine's architectures that compartments run on, by Node's name. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "SCMP_ARCH_X86_64", arm64: "SCMP_ARCH_AARCH64" }

export const systemCalls = (arch: string): string =>
  JSON.stringify({
    defaultAction: "SCMP_ACT_ERRNO",
    architectures: [ARCHITECTURES[arch]],
    syscalls: [
      allowed(ALLOWED),
      ...FAMILIES.map((family) => allowed(["socket"], equal(0, family))),
      allowed(["socketpair"], equal(0, AF_UNIX)),
      ...PERSONALITIES.map((personality) => allowed(["personality"], equal(0, personality))),
      allowed(["clone"], { index: 0, value: NAMESPACES, valueTwo: 0, op: MASKED }),
      { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS, args: [] }
    ]
  })
