const LISTENING = '0A';

/** Any address, 127.0.0.0/8, ::1, and 127.0.0.0/8 written as IPv6; the kernel writes each four bytes backwards. */
const LOCAL = /^(0{8}|0{32}|[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;

/** Inodes of the sockets that listen on a port by a local address, in the text of `/proc/<pid>/net/tcp` or `tcp6`. */
export function parseListeners(table: string, port: number): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    const isMeant = state === LISTENING && LOCAL.test(address) && Number.parseInt(hexPort, 16) === port;
    return isMeant && inode !== undefined ? [inode] : [];
  });
}
