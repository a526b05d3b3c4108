/**
 * Addresses of cloud providers' own services that look public but can only be reached from inside that cloud. The
 * metadata services of AWS, Google, Alibaba, Oracle, DigitalOcean and OpenStack are not listed. Their addresses are in
 * ranges that are not public anywhere: 169.254.0.0/16, 100.64.0.0/10, 192.0.0.0/24, fd00::/8, fe80::/10.
 */
export const PLATFORM_ADDRESSES = [
  // Azure: keys and settings of the machine, its name server.
  "168.63.129.16/32",
  // IBM: services of its private network.
  "161.26.0.0/16",
  "166.8.0.0/14"
] as const
