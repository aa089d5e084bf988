import { eventually, unsigned, type FakeServer } from '../../../libs/testing/src';
import { surprisesOf, type Scene } from './attack';
import type { HostileWorld } from './hostile-world';
import { offerOfContent, POINTERS, startLyingPartner } from './lying-partner';
import { FORBIDDEN, METADATA, type TestNetwork } from './test-network';
import { jsonMessage } from './targets';
import { offerBody } from '../inbound-partner';

/** Hosts in messages, and the partners behind them: none of them may be called. `{port}` is the port of the forbidden machine. */
export const NAMES: readonly (readonly [written: string, partner: string])[] = [
  ...[METADATA, `${FORBIDDEN}:{port}`, '[fd00:ec2::254]', '[::1]:{port}', 'localhost:{port}'].map(asItIs),
  ...['inside.test:{port}', 'metadata.test', 'mapped.test:{port}', 'mixed.test:{port}'].map(asItIs),
  ['[::ffff:a9fe:a9fe]', METADATA],
  ...['[64:ff9b::a9fe:a9fe]'].map(asItIs),
  ['[::ffff:127.0.0.9]:{port}', `${FORBIDDEN}:{port}`],
  ['2130706441:{port}', `${FORBIDDEN}:{port}`],
  ['0x7f000009:{port}', `${FORBIDDEN}:{port}`],
  ['0177.0.0.011:{port}', `${FORBIDDEN}:{port}`],
  ['127.9:{port}', `${FORBIDDEN}:{port}`],
];
function asItIs(host: string): readonly [string, string] {
  return [host, host];
}

/** Target of the addresses in a description. */
export const PLACES: readonly [name: string, place: (world: HostileWorld, network: TestNetwork) => string][] =
  [
    ['another partner', ({ y }) => y.url],
    ['loopback', (_world, { port }) => `http://${FORBIDDEN}:${port}`],
    ['an address of the platform', () => `http://${METADATA}`],
    ['a name that leads inside', (_world, { port }) => `http://inside.test:${port}`],
  ];

/** Tables that a first contact with a partner may change: its name, and its published keys. */
const LEAVES = ['peer', 'partner_keys'];
let count = 0;

/**
 * Signed under an id at this host: its keys would have to be asked for there.
 * @returns the differences from the right answer
 */
async function signedOffer(
  scene: Scene,
  host: string,
  reason: 'key-unavailable' | 'key-unknown',
  partner = host,
): Promise<string[]> {
  const { m } = scene.world;
  const person = `rem@http://${host}`;
  const offer = {
    ...offerBody(`pointing-${++count}`, `SecretOfThePointer${count}`),
    owner: person,
    sender: person,
  };
  const key = { ...m.keyOf('es256'), keyId: `http://${host}/ocm#key` };
  const message = await m.sign(jsonMessage('/ocm/shares', offer), { scheme: 'es256', key });
  const attack = async (): Promise<number> => (await scene.world.send(message)).status;
  return surprisesOf(scene, attack, { warning: { reason, partner }, leaves: LEAVES });
}

/** A message from a host that must not be called. */
export function attackByName(scene: Scene, host: string, partner = host): Promise<string[]> {
  return signedOffer(scene, host, 'key-unavailable', partner);
}

/** Messages from partners whose keys are at other addresses. */
export async function attackByKeys(scene: Scene, elsewhere: string): Promise<string[]> {
  const surprises: string[] = [];
  const lies = [
    ['redirect', 'key-unavailable'],
    ['jwksUri', 'key-unknown'],
  ] as const;
  for (const [pointer, reason] of lies) {
    const liar = await startLyingPartner(pointer, elsewhere);
    surprises.push(...(await signedOffer(scene, new URL(liar.url).host, reason)));
    await liar.close();
  }
  return surprises;
}

/** Shares of partners with messages, content or tokens at another address: offered, accepted and read. */
export async function attackByContent(scene: Scene, elsewhere: string): Promise<string[]> {
  const pointers = POINTERS.filter((pointer) => pointer !== 'jwksUri');
  await scene.world.holdProbes();
  const liars = await Promise.all(pointers.map((pointer) => startLyingPartner(pointer, elsewhere)));
  const ids: string[] = [];
  for (const liar of liars) ids.push(await offerOf(scene, liar, `${liar.url}/dav/ocm/x`));
  ids.push(await offerOf(scene, liars[0]!, `${elsewhere}/dav/ocm/x`));
  await scene.world.allowProbes();
  const read = await Promise.all(ids.map((id) => acceptAndRead(scene, id)));
  await told(scene.world);
  await Promise.all(liars.map((liar) => liar.close()));
  const unasked = liars.filter(({ requests }) => requests.length === 0).map(() => 'a liar was never asked');
  return [
    ...unasked,
    ...read.filter((status) => status < 400).map((status) => `content was answered ${status}`),
  ];
}

/** The same for an honest partner. @returns the addresses of its requests */
export async function asksOfContent(scene: Scene): Promise<string[]> {
  const honest = await startLyingPartner('tokenEndPoint');
  await acceptAndRead(scene, await offerOf(scene, honest, `${honest.url}/dav/ocm/x`));
  await told(scene.world);
  await honest.close();
  return honest.requests.map(({ method, path }) => `${method} ${path}`);
}

async function offerOf({ world }: Scene, liar: FakeServer, uri: string): Promise<string> {
  const id = `lying-${++count}`;
  const offer = offerOfContent(new URL(liar.url).host, id, uri, `SecretOfTheLie${count}`);
  const { status, text } = await world.send(unsigned(offer));
  if (status !== 201) throw new Error(`the offer was answered ${status}: ${text}`);
  return id;
}

/**  @returns the status that the recipient gets when they read it */
async function acceptAndRead({ world: { people } }: Scene, id: string): Promise<number> {
  const [row] = await people.query<{ id: string }>('SELECT id FROM received_share WHERE provider_id = $1', [
    id,
  ]);
  const path = `/apps/files_sharing/api/v1/remote_shares/pending/${row!.id}`;
  const { code } = await people.ocs('POST', path, 'alice');
  if (code !== 200) throw new Error(`the acceptance was answered ${code}`);
  return people.dav('GET', 'alice', `/${id}.txt`);
}

const UNTRIED = `SELECT id FROM outbox_message m
  WHERE state <> 'superseded' AND NOT EXISTS (SELECT FROM delivery_attempt WHERE message_id = m.id)`;

/** Every message was attempted until the end. */
async function told({ people }: HostileWorld): Promise<void> {
  await eventually('the messages', async () => (await people.query(UNTRIED)).length === 0);
}
