import type { Socket } from 'node:net';

/** Lets the end or failure of each of two connections end the other one. Both are in `open` until they are closed. */
export function joinEnds(one: Socket, other: Socket, open: Set<Socket>): void {
  for (const [socket, opposite] of [
    [one, other],
    [other, one],
  ] as const) {
    open.add(socket);
    socket.on('error', () => opposite.destroy());
    socket.on('close', () => {
      open.delete(socket);
      opposite.destroy();
    });
  }
}
