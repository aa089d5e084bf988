import { EventEmitter } from 'node:events';
import pg from 'pg';
import { FederationOutbox } from '../../testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { eventually } from '../../testing/src/waiting';
import { CommittedNews } from './committed-news';
import { Database } from './database';
import { text } from './postgres-types';
import { statement } from './statement';

const TELL = statement({
  name: 'test.tell',
  params: { news: text },
  sql: 'SELECT tell_after_commit(:news)',
});

describe('news that were told in a transaction', () => {
  let test: TestDatabase;
  let listener: pg.Client;
  const heard: string[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    listener = new pg.Client({ connectionString: test.url });
    await listener.connect();
    listener.on('notification', ({ payload }) => heard.push(payload!));
    await listener.query('LISTEN drawbridge_changes');
  });
  afterAll(async () => {
    await listener?.end();
    await test?.drop();
  });
  beforeEach(() => heard.splice(0));

  /** Waits for an announcement that comes after all earlier ones. */
  async function hearing(): Promise<string[]> {
    await listener.query(`NOTIFY drawbridge_changes, 'group:last'`);
    await eventually('the last announcement', () => heard.includes('group:last'));
    return heard.filter((one) => one !== 'group:last');
  }

  it('are announced after the commit, and not before', async () => {
    await test.database.transaction(async (transaction) => {
      await transaction.rows(TELL, { news: 'outbox:1' });
      await transaction.rows(TELL, { news: 'outbox:2' });
      await test.database.rows(TELL, { news: 'outbox:of another' });
      await eventually('those of another transaction', () => heard.includes('outbox:of another'));
      expect(heard).toEqual(['outbox:of another']);
      heard.splice(0);
    });
    await eventually('both', () => heard.length === 2);
    expect(heard.toSorted()).toEqual(['outbox:1', 'outbox:2']);
  });

  it('are announced after a statement of its own transaction, each time', async () => {
    for (const time of [1, 2]) {
      await test.database.rows(TELL, { news: 'outbox:3' });
      await eventually('it', () => heard.length === time);
    }
    expect(heard).toEqual(['outbox:3', 'outbox:3']);
  });

  it('are announced before the database is closed', async () => {
    const database = await Database.connect({ ...test.database.options, poolSize: 1 });
    await database.rows(TELL, { news: 'outbox:4' });
    await database.close();
    expect(await hearing()).toEqual(['outbox:4']);
  });

  it('leave the next transactions of the connection alone', async () => {
    const database = await Database.connect({ ...test.database.options, poolSize: 1 });
    const failed = database.transaction(async (transaction) => {
      await transaction.rows(TELL, { news: 'outbox:5' });
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    await database.rows(TELL, { news: 'outbox:6' });
    await database.close();
    expect((await hearing()).filter((one) => one === 'outbox:6')).toHaveLength(1);
  });

  it('are not announced by the transaction itself, which would make its commit wait for others', async () => {
    const outbox = new FederationOutbox(test.database);
    const peer = await outbox.addPeer('a.example');
    await hearing();
    heard.splice(0);
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    const told: string[] = [];
    client.on('notice', ({ message }) => told.push(message!));
    try {
      await client.query(
        `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
         VALUES ('share', 1, ${peer}, 'share-create', 1, 'one', '{}', now())`,
      );
      await client.query(
        `INSERT INTO share_event (kind, subject_type, subject_id, revision, subject) VALUES ('ended', 'share', 1, 1, '{}')`,
      );
    } finally {
      await client.end();
    }
    expect(told).toEqual([`outbox:${peer}`, 'outbox:']);
    expect(await hearing()).toEqual([]);
  });
});

describe('the announcements of one process', () => {
  const sent: string[][] = [];
  let end: (() => void)[] = [];
  let refuse: ((error: Error) => void)[] = [];
  let news: CommittedNews;
  let client: EventEmitter & { connection: EventEmitter };

  beforeEach(() => {
    sent.splice(0);
    end = [];
    refuse = [];
    news = new CommittedNews((told) => {
      sent.push([...told]);
      return new Promise((resolve, reject) => {
        end.push(() => resolve([]));
        refuse.push(reject);
      });
    });
    client = Object.assign(new EventEmitter(), { connection: new EventEmitter() });
    news.follow(client as unknown as pg.ClientBase);
  });

  function commit(...told: string[]): void {
    for (const message of told) client.emit('notice', { code: 'DBN01', message });
    client.connection.emit('readyForQuery', { status: 'I' });
  }

  it('are one statement for all that was told while the one before it ran', async () => {
    commit('a');
    commit('b', 'c');
    commit('b');
    expect(sent).toEqual([['a']]);
    end.shift()!();
    await eventually('the second', () => sent.length === 2);
    expect(sent[1]).toEqual(['b', 'c']);
    end.shift()!();
    await news.settled();
    commit('d');
    expect(sent[2]).toEqual(['d']);
  });

  it('say nothing about other messages of the database', () => {
    client.emit('notice', { code: '42P07', message: 'relation "a" already exists, skipping' });
    client.connection.emit('readyForQuery', { status: 'I' });
    expect(sent).toEqual([]);
    expect(client.connection.listenerCount('readyForQuery')).toBe(0);
  });

  it('go on after one that failed', async () => {
    commit('a');
    end.shift();
    refuse.shift()!(new Error('the database is away'));
    await news.settled();
    commit('b');
    expect(sent).toEqual([['a'], ['b']]);
  });
});
