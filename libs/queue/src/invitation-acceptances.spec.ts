import { ChangeFeed, InvitationAcceptanceRepository } from '#persistence';
import { Unavailable } from '#platform';
import { FederationOutbox } from '../../testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { InvitationAcceptances } from './invitation-acceptances';

const MINUTE = 60_000;

describe('an invitation that is accepted while the queue is away', () => {
  let test: TestDatabase;
  let feed: ChangeFeed;
  let peerId: number;
  let repository: InvitationAcceptanceRepository;
  /** Ids of the jobs that were added to the queue. */
  let taken: string[] = [];
  let isAway = false;

  beforeAll(async () => {
    test = await createTestDatabase();
    feed = new ChangeFeed(test.url);
    await feed.start();
    repository = new InvitationAcceptanceRepository(test.database);
    peerId = await new FederationOutbox(test.database).addPeer('cloud.partner.example');
    await test.database.dataSource.query(
      `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', 'x')`,
    );
  });
  afterAll(async () => {
    await feed.stop();
    await test.drop();
  });
  beforeEach(async () => {
    [taken, isAway] = [[], true];
    await test.database.dataSource.query('DELETE FROM invitation_acceptance');
  });

  const acceptances = (): InvitationAcceptances => {
    const add = async (_queue: string, jobs: readonly { id: string }[]): Promise<void> => {
      if (isAway) throw new Unavailable('the queue is away', 5);
      taken.push(...jobs.map(({ id }) => id));
    };
    return new InvitationAcceptances(repository, { add }, feed);
  };
  const letAMinutePass = (): Promise<unknown> =>
    test.database.dataSource.query(
      `UPDATE invitation_acceptance SET created_at = created_at - interval '61 seconds'`,
    );

  it('is stored, and reported when the queue is back', async () => {
    expect(await acceptances().accept('alice', peerId, Buffer.from('sealed'), MINUTE)).toBeUndefined();
    isAway = false;
    await acceptances().enterLost();
    expect(taken).toEqual([]);
    await letAMinutePass();
    await acceptances().enterLost();
    expect(taken).toEqual([expect.stringMatching(/^invitation-\d+$/)]);
  });

  it('is not reported twice', async () => {
    await acceptances().accept('alice', peerId, Buffer.from('sealed'), MINUTE);
    const [row] = await test.database.dataSource.query<{ id: number }[]>(
      'SELECT id FROM invitation_acceptance',
    );
    await test.database.transaction((transaction) => repository.settle(transaction, row!.id, null, 'used'));
    await letAMinutePass();
    isAway = false;
    await acceptances().enterLost();
    expect(taken).toEqual([]);
  });
});
