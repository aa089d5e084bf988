// The baseline of deliveries, with only the libraries: each job of BullMQ is one POST by undici, with a signature of its body like
// those of the gateway. Runs as a child process.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Pool } from 'undici';

// BullMQ finds its driver for Postgres only if `require` exists.
const { Queue, Worker, createPostgresBackend } = createRequire(import.meta.url)('bullmq');

const signApart = promisify(sign);
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** A digest of the body, and a signature of it by the algorithm of the gateway. */
async function signed(body) {
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const parameters = `("@method" "content-digest");created=${Math.floor(Date.now() / 1000)};keyid="bare"`;
  const base = `"@method": POST\n"content-digest": ${digest}\n"@signature-params": ${parameters}`;
  const signature = await signApart('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' });
  return {
    'content-digest': digest,
    'signature-input': `ocm=${parameters}`,
    signature: `ocm=:${signature.toString('base64')}:`,
  };
}

async function run({ backend, sink, count, concurrency, body }) {
  const target = new Pool(sink, { connections: concurrency });
  const send = async () => {
    const { body: answer } = await target.request({
      method: 'POST',
      path: '/ocm/shares',
      headers: { 'content-type': 'application/json', ...(await signed(body)) },
      body,
    });
    await answer.dump();
  };
  const [options, factory] = backend.redis
    ? [{ connection: { url: backend.redis, maxRetriesPerRequest: null }, prefix: 'bare' }]
    : [
        { connection: { connectionString: backend.postgres, schema: 'bare', migrate: true } },
        createPostgresBackend,
      ];
  const queue = new Queue('bare', options, factory);
  await queue.waitUntilReady();
  let done = 0;
  const latencies = [];
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const worker = new Worker('bare', send, { ...options, concurrency }, factory);
  worker.on('completed', (job) => {
    latencies.push(Date.now() - job.timestamp);
    if (++done === count) finish();
  });
  await worker.waitUntilReady();
  const startedAt = performance.now();
  for (let from = 0; from < count; from += concurrency) {
    const size = Math.min(concurrency, count - from);
    const jobs = Array.from({ length: size }, (_, index) => ({
      name: 'bare',
      data: { id: from + index },
      opts: { jobId: `job-${from + index}`, removeOnComplete: true },
    }));
    await queue.addBulk(jobs);
  }
  await finished;
  const seconds = (performance.now() - startedAt) / 1000;
  await worker.close();
  await queue.close();
  await target.close();
  return { perSecond: count / seconds, latencies };
}

process.once('message', async (message) => {
  process.send(await run(message));
  process.disconnect();
});
