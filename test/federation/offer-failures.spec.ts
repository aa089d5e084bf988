import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import type { Instance } from '../../apps/cli/src/instance';
import { Database } from '#persistence';
import {
  ownCloudDocument,
  reply,
  replyJson,
  startFakeServer,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  type FakeServer,
} from '../../libs/testing/src/partners';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';

let world: OutgoingWorld;
const servers: FakeServer[] = [];
const opened: (() => unknown)[] = [];

beforeAll(async () => {
  world = await OutgoingWorld.start();
});
afterAll(async () => {
  await world.stop();
  await Promise.all(servers.map((server) => server.close()));
  for (const close of opened) close();
});

async function hostOfA<T extends FakeServer>(starting: Promise<T>): Promise<string> {
  const server = await starting;
  servers.push(server);
  return hostOf(server);
}

/** The port of one end of an open connection: nothing listens there, and nothing else can. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  opened.push(
    () => socket.destroy(),
    () => server.close(),
  );
  return `127.0.0.1:${socket.localPort}`;
}

const page = (): Promise<string> =>
  hostOfA(startFakeServer((_request, response) => reply(response, 200, '<html></html>', 'text/html')));

/** Answers every offer in this way. */
async function partnerSaying(status: number, body?: object): Promise<string> {
  let base = '';
  const server = await startFakeServer((request, response) => {
    if (request.method === 'POST')
      return body ? replyJson(response, status, body) : reply(response, status, '', 'text/plain');
    if (request.path !== '/ocm-provider/') return reply(response, 404, '', 'text/plain');
    replyJson(response, 200, ownCloudDocument(`${base}/ocm`));
  });
  base = server.url;
  servers.push(server);
  return hostOf(server);
}

/** A command of `drawbridge`, on the gateway's database. */
async function command(...words: string[]): Promise<Record<string, unknown>[]> {
  const { command: found, input } = parseCommandLine(words)!;
  const { nest } = world.sharing.gateway.instance.app;
  const instance = { open: async () => nest.get(Database, { strict: false }) } as unknown as Instance;
  const output = await found.run(input, instance);
  return output.kind === 'rows' ? [...output.rows] : [output.record];
}

const NOT_FOUND = 'Sharing FILE failed, could not find RECIPIENT,';

/** Cause, recipient, its server, text of the refusal and class in the delivery record. */
const FAILURES: readonly [string, string, () => Promise<string>, string, string][] = [
  [
    'nothing listens at the port',
    'bea',
    closedPort,
    `${NOT_FOUND} maybe the server is currently unreachable: nothing listens at HOST.`,
    'not-listening',
  ],
  [
    'there is no such host',
    'bea',
    async () => 'no-such-host.invalid',
    `${NOT_FOUND} there is no server with the name HOST.`,
    'unknown-host',
  ],
  [
    'the server shares nothing',
    'bea',
    page,
    `${NOT_FOUND} the server HOST does not take part in federated sharing.`,
    'undiscovered',
  ],
  [
    'our rules forbid the address',
    'bea',
    async () => '10.255.255.1',
    'Sharing FILE failed, the administrator does not allow connections to the address of HOST',
    'blocked',
  ],
  [
    'ownCloud does not know the user',
    'ghost',
    () => hostOfA(startOwnCloud()),
    'Federated Sharing failed: User ghost does not exist',
    'recipient-unknown',
  ],
  [
    'Nextcloud does not know the user',
    'ghost',
    () => hostOfA(startNextcloud()),
    'Federated Sharing failed: User not found',
    'recipient-unknown',
  ],
  [
    'OpenCloud does not know the user',
    'ghost',
    () => hostOfA(startOpenCloud()),
    'Federated Sharing failed: user not found',
    'recipient-unknown',
  ],
  [
    'the partner does not know the user, and says so by 404 alone',
    'ghost',
    () => partnerSaying(404, {}),
    'Federated Sharing failed: the server HOST does not know RECIPIENT',
    'recipient-unknown',
  ],
  [
    'the partner does not accept our signature',
    'bea',
    () => partnerSaying(401),
    'Federated Sharing failed: the server HOST does not accept the signature of this server (without a reason)',
    'signature-refused',
  ],
  [
    'the partner has us not on its list',
    'bea',
    () => partnerSaying(401, { message: 'provider not authorized' }),
    'Federated Sharing failed: provider not authorized',
    'denied',
  ],
  [
    'the partner refuses without words',
    'bea',
    () => partnerSaying(403),
    'Federated Sharing failed: the server HOST does not take this share',
    'denied',
  ],
];

describe('a failed offer reports its cause, to its initiator and in the delivery record', () => {
  it.each(FAILURES)('%s', async (what, user, start, words, errorClass) => {
    const host = await start();
    const [file, recipient] = [`${what}.txt`, `${user}@${host}`];
    const { code, message } = await world.offer(file, recipient);
    const expected = words.replace('FILE', file).replace('RECIPIENT', recipient).replace('HOST', host);
    expect([code, message]).toEqual([403, expected]);
    expect(await world.list({ path: `/${file}` })).toEqual([]);
    const offers = (await command('delivery', 'list', '--peer', host)).filter(
      ({ kind }) => kind === 'share-create',
    );
    expect(offers).toMatchObject([{ errorClass }]);
    const [shown] = await command('delivery', 'show', String(offers[0]!.id));
    expect(shown).toMatchObject({ errorClass, tries: [{ errorClass }] });
  });

  it('has a separate text for every cause', () => {
    const words = FAILURES.map((row) => row[3]);
    expect(new Set(words).size).toBe(words.length);
  });

  it('an offer to a denied partner writes nothing and sends nothing', async () => {
    const partner = await startOwnCloud();
    servers.push(partner);
    const host = hostOf(partner);
    await command('peer', 'trust', host, 'denied');
    const { code, message } = await world.offer('denied.txt', `bea@${host}`);
    expect([code, message]).toEqual([403, `Sharing with ${host} is not allowed by the administrator`]);
    expect(await command('delivery', 'list', '--peer', host)).toEqual([]);
    expect(partner.requests).toEqual([]);
  });

  it('an offer is repeated if the partner may have checked its signature with an outdated key, and the record shows this', async () => {
    const host = await partnerSaying(401, { message: 'The signature was not accepted' });
    const envelope = await world.offer('signed.txt', `bea@${host}`);
    expect(envelope.code).toBe(100);
    expect(recordOf(envelope)).toMatchObject({
      delivery_state: 'retrying',
      delivery_error: 'The signature was not accepted',
    });
    expect(await command('delivery', 'list', '--peer', host)).toMatchObject([
      { state: 'pending', errorClass: 'signature-refused' },
    ]);
  });
});
