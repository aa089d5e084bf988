import { InterruptedUpload, type Protocol } from './interrupted-upload';
import { KilledReplicas, MOST_MEMORY_BYTES } from './killed-replicas';
import { isFullForm } from '../../libs/testing/src/full-form';

const PROTOCOLS: readonly Protocol[] = ['chunks', 'named chunks', 'TUS'];
/** Blocks of one mebibyte: four gibibytes, or 30 mebibytes in the short form. */
const SIZES = {
  full: { blocks: 4096, kills: 20, blocksOfChunk: 10 },
  short: { blocks: 30, kills: 1, blocksOfChunk: 7 },
};
const { blocks, kills, blocksOfChunk } = SIZES[isFullForm ? 'full' : 'short'];

jest.setTimeout(40 * 60_000);

let replicas: KilledReplicas;
beforeAll(async () => {
  replicas = await KilledReplicas.start();
});
afterAll(() => replicas?.stop());

it.each(PROTOCOLS)(
  'an upload by %s continues at the other replica when one is killed, in little memory',
  async (protocol) => {
    const [before, name] = [replicas.kills, `${protocol}.bin`.replace(' ', '-')];
    const upload = new InterruptedUpload(replicas, blocks, kills, blocksOfChunk);
    await upload.send(protocol, name);
    expect(replicas.kills).toBe(before + kills);
    expect(await upload.digestOf(name)).toBe(upload.digest);
    expect(await replicas.leftovers()).toEqual({ pieces: 0, contents: 0 });
    await upload.remove(name);
    expect(await replicas.sweptContents()).toBe(0);
    expect(await replicas.peakMemory()).toBeLessThan(MOST_MEMORY_BYTES);
  },
);
