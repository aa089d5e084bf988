import { SealedSecretRepository, Database } from '#persistence';
import { SecretBox } from '#platform';
import { startGateway, type TestGateway } from '#testing';
import { SharingGateway } from '../sharing/sharing-gateway';

const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)];

let world: SharingGateway;
let others: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of others) await gateway.stop();
  others = [];
  await world?.stop();
});

async function replica(env: Record<string, string>): Promise<TestGateway> {
  const gateway = await startGateway({ env, databaseUrl: world.gateway.databaseUrl });
  others.push(gateway);
  return gateway;
}

async function linkOn(path: string): Promise<string> {
  await world.store('alice', path);
  const { data } = await world.share('alice', { path, shareType: '3' });
  return (data as { token: string }).token;
}

/** A link at a replica: the status of its page, and whether its owner sees the token. */
async function seen(gateway: TestGateway, token: string): Promise<[number, boolean]> {
  const page = await fetch(`${gateway.url}/s/${token}`);
  const shares = await fetch(`${gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json`, {
    headers: { authorization: world.authorizationOf('alice') },
  });
  return [page.status, (await shares.text()).includes(`"token":"${token}"`)];
}

it('the encryption key changes under running replicas, and links and their secrets stay', async () => {
  const early = { ENCRYPTION_KEY: OLD, ENCRYPTION_KEY_PREVIOUS: NEW };
  world = await SharingGateway.start({ env: early });
  await world.addUsers('alice');
  const before = await linkOn('/before.txt');

  const late = await replica({ ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD });
  expect(await seen(late, before)).toEqual([200, true]);

  const { nest } = late.instance.app;
  const secrets = new SealedSecretRepository(
    nest.get(Database, { strict: false }),
    nest.get(SecretBox, { strict: false }),
  );
  expect(await secrets.sealAnew()).toBeGreaterThan(0);
  // A replica of before still writes with its key: the command is run again when that replica has stopped.
  const during = await linkOn('/during.txt');
  for (const gateway of [world.gateway, late])
    for (const token of [before, during]) expect(await seen(gateway, token)).toEqual([200, true]);
  expect(await secrets.sealAnew()).toBe(1);

  const alone = await replica({ ENCRYPTION_KEY: NEW });
  for (const token of [before, during]) expect(await seen(alone, token)).toEqual([200, true]);
  await expect(replica({ ENCRYPTION_KEY: OLD })).rejects.toThrow('The encryption key is not the one');
});
