import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Range of ports that the kernel does not assign by itself, so that other specs do not take them in the meantime. */
const [FIRST, LAST] = [20_000, 32_000];

/**
 * A port of the loopback address that was free a moment ago, for a program that needs a given port.
 * @param count number of consecutive free ports, from the returned one on
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const row = Array.from({ length: count }, (_, at) => port + at);
    if ((await Promise.all(row.map(isFree))).every(Boolean)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
