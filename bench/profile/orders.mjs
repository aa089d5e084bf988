// The bench's side of the socket of agent.cjs.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path that no earlier process of the run had: one that is killed leaves its socket behind. */
export const agentSocket = () => join(tmpdir(), `drawbridge-bench-${randomUUID()}.sock`);

/** Environment of a process that is profiled through the socket `path`. */
export const agentEnvironment = (path) => ({
  BENCH_AGENT: path,
  NODE_OPTIONS:
    `${process.env.NODE_OPTIONS ?? ''} --require ${join(dirname(fileURLToPath(import.meta.url)), 'agent.cjs')}`.trim(),
});

/** Sends an order to agent.cjs. @throws Error if the process cannot do it */
export function order(path, name) {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    const parts = [];
    socket.on('error', reject);
    socket.on('data', (part) => parts.push(part));
    socket.on('end', () => {
      socket.end();
      const { result, error } = JSON.parse(Buffer.concat(parts).toString('utf8'));
      if (error) reject(new Error(error));
      else resolve(result);
    });
    socket.write(`${name}\n`);
  });
}
