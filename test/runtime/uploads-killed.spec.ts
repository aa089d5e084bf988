import { InterruptedUpload, type Protocol } from './interrupted-upload';
import { KilledReplicas } from './killed-replicas';

const PROTOCOLS: readonly Protocol[] = ['chunks', 'named chunks', 'TUS'];
const BLOCKS = 30;
const BLOCKS_OF_CHUNK = 7;

jest.setTimeout(10 * 60_000);

let replicas: KilledReplicas;
beforeAll(async () => {
  replicas = await KilledReplicas.start();
});
afterAll(() => replicas?.stop());

it.each(PROTOCOLS)('an upload by %s goes on at another replica when one is killed', async (protocol) => {
  const [before, name] = [replicas.kills, `${protocol}.bin`.replace(' ', '-')];
  const upload = new InterruptedUpload(replicas, BLOCKS, 1, BLOCKS_OF_CHUNK);
  await upload.send(protocol, name);
  expect(replicas.kills).toBe(before + 1);
  expect(await upload.digestOf(name)).toBe(upload.digest);
  expect(await replicas.leftovers()).toEqual({ pieces: 0, contents: 0 });
});
