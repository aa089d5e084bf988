import { SecretBox } from '#platform';
import { DeliveryRepository, OutboxDispatchRepository } from '#persistence';
import { FederationOutbox } from '../../../../libs/testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../../../libs/testing/src/rigs/test-database';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

const MINUTE_MS = 60_000;

let test: TestDatabase;
let outbox: FederationOutbox;
beforeAll(async () => {
  test = await createTestDatabase();
  outbox = new FederationOutbox(test.database);
});
afterAll(() => test.drop());
beforeEach(() => outbox.clear());

async function run(...words: string[]): Promise<Record<string, unknown>[]> {
  const { command, input } = parseCommandLine(words)!;
  const instance = { open: async () => test.database } as unknown as Instance;
  const output = await command.run(input, instance);
  return output.kind === 'rows' ? [...output.rows] : [output.record];
}

/** Makes a message that was given up. */
async function deadLetter(host: string, share: number): Promise<string> {
  const id = await outbox.write(await outbox.addPeer(host), 'share-create', share);
  const deliveries = new DeliveryRepository(test.database, { next: () => 0 });
  const { messages } = await new OutboxDispatchRepository(
    test.database,
    new SecretBox(() => Buffer.alloc(32)),
  ).dispatch(MINUTE_MS);
  const outcome = { kind: 'failed', errorClass: 'denied', message: 'Forbidden' } as const;
  const claimed = await deliveries.claim(messages, MINUTE_MS);
  await deliveries.settle(claimed.map((message) => ({ message, outcome })));
  return String(id);
}

it('lists and shows the states of messages, without their contents', async () => {
  const id = await deadLetter('a.example', 1);
  expect(await run('delivery', 'list', '--state', 'dead', '--peer', 'a.example')).toMatchObject([
    {
      id: Number(id),
      host: 'a.example',
      kind: 'share-create',
      subject: 'share/1',
      errorClass: 'denied',
      error: 'Forbidden',
    },
  ]);
  expect(await run('delivery', 'list', '--error', 'tls')).toEqual([]);
  const [shown] = await run('delivery', 'show', id);
  expect(shown).toMatchObject({ tries: [{ attempt: 1, outcome: 'failed' }] });
  expect(JSON.stringify(shown)).not.toMatch(/payload|secret/i);
});

it('sends messages again: one, those of a partner, those of an error class, or all', async () => {
  const [first] = [
    await deadLetter('a.example', 1),
    await deadLetter('b.example', 2),
    await deadLetter('c.example', 3),
  ];
  expect(await run('delivery', 'replay', '--id', first)).toEqual([{ id: Number(first) }]);
  expect(await run('delivery', 'replay', '--peer', 'b.example')).toEqual([{ count: 1 }]);
  expect(await run('delivery', 'replay', '--error', 'denied')).toEqual([{ count: 1 }]);
  expect(await run('delivery', 'replay', '--all')).toEqual([{ count: 0 }]);
  await expect(run('delivery', 'replay')).rejects.toThrow('Say what to send again');
  await expect(run('delivery', 'replay', '--id', first)).rejects.toThrow('cannot be sent again');
});

it('retries and cancels messages that wait', async () => {
  const id = String(await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1));
  expect(await run('delivery', 'retry', id)).toEqual([{ id: Number(id) }]);
  expect(await run('delivery', 'cancel', id)).toEqual([{ id: Number(id) }]);
  await expect(run('delivery', 'retry', id)).rejects.toThrow(`No delivery ${id} waits.`);
  await expect(run('delivery', 'cancel', id)).rejects.toThrow('cannot be cancelled');
  await expect(run('delivery', 'show', '99999')).rejects.toThrow('There is no delivery 99999.');
  await expect(run('delivery', 'show', 'x')).rejects.toThrow('is a number');
  await expect(run('delivery', 'list', '--state', 'lost')).rejects.toThrow('--state is one of');
});

it('pauses and resumes partners, and shows their state', async () => {
  await deadLetter('a.example', 1);
  await outbox.write(await outbox.addPeer('b.example'), 'share-create', 2);
  expect(await run('peer', 'pause', 'b.example')).toEqual([{ host: 'b.example' }]);
  expect(await run('peer', 'list')).toMatchObject([
    { host: 'a.example', paused: false, breaker: 'closed', dead: 1, waiting: 0 },
    { host: 'b.example', paused: true, waiting: 1 },
  ]);
  expect(await run('peer', 'list', '--after', 'a.example', '--limit', '1')).toHaveLength(1);
  await run('peer', 'resume', 'b.example');
  expect((await run('peer', 'show', 'b.example'))[0]).toMatchObject({
    paused: false,
    concurrency: 100,
    profile: null,
  });
  await expect(run('peer', 'show', 'c.example')).rejects.toThrow('There is no partner c.example.');
  await expect(run('peer', 'pause', 'c.example')).rejects.toThrow('There is no partner c.example.');
});
