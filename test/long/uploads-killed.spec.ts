import { InterruptedUpload, type Protocol } from '../runtime/interrupted-upload';
import { KilledReplicas, MOST_MEMORY_BYTES } from '../runtime/killed-replicas';

const PROTOCOLS: readonly Protocol[] = ['chunks', 'named chunks', 'TUS'];
/** Four gibibytes. */
const BLOCKS = 4096;
const KILLS = 20;
const BLOCKS_OF_CHUNK = 10;

jest.setTimeout(40 * 60_000);

it.each(PROTOCOLS)('4 GB by %s arrive while replicas are killed twenty times', async (protocol) => {
  const replicas = await KilledReplicas.start();
  try {
    const upload = new InterruptedUpload(replicas, BLOCKS, KILLS, BLOCKS_OF_CHUNK);
    await upload.send(protocol, 'large.bin');
    expect(replicas.kills).toBe(KILLS);
    expect(await upload.digestOf('large.bin')).toBe(upload.digest);
    expect(await replicas.leftovers()).toEqual({ pieces: 0, contents: 0 });
  } finally {
    await replicas.stop();
  }
  expect(replicas.peak).toBeLessThan(MOST_MEMORY_BYTES);
});
