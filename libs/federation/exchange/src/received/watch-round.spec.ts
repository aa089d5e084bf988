import { InMemoryExchange } from '../../../../testing/src/fakes/in-memory-exchange';
import { InMemoryShareWatch } from '../../../../testing/src/fakes/in-memory-share-watch';
import { watchRound } from './watch-round';

const HOST = 'there.example.org';

let exchange: InMemoryExchange;
let world: InMemoryShareWatch;
beforeEach(() => {
  exchange = new InMemoryExchange();
  exchange.addUser('alice');
  world = new InMemoryShareWatch(exchange);
});

const round = (): Promise<void> => watchRound(world);

describe('a probed offer, without a database', () => {
  beforeEach(() => world.add(1, HOST, { state: 'pending', verified: false, fileTarget: null }));

  it('is verified if its server shows it', async () => {
    await round();
    expect(world.one(1)).toMatchObject({
      state: 'pending',
      verified: true,
      etag: 'root',
      nextProbeAtMs: null,
      doubt: '',
    });
  });

  it('stays in doubt if its server does not show it, and its recipient gets a notification', async () => {
    world.answers.set(HOST, 'refused');
    await round();
    expect(world.one(1)).toMatchObject({ state: 'pending', verified: false, failedProbes: 1 });
    expect(world.one(1).doubt).toBe(`The sender is not verified: ${HOST} did not confirm this share.`);
    expect(world.greeted).toEqual([]);
  });
});

describe('a share with a web application alone, without a database', () => {
  const access = { hasFiles: false };

  it('is confirmed by its server, and nothing of it is read or placed', async () => {
    world.add(1, HOST, { state: 'pending', verified: false, fileTarget: null, access });
    await round();
    expect(world.one(1)).toMatchObject({ state: 'pending', verified: true, etag: null, doubt: '' });
    world.add(2, HOST, { state: 'gone', fileTarget: null, access });
    await round();
    expect(world.one(2)).toMatchObject({ state: 'accepted', fileTarget: null });
    expect(world.asked).toEqual(['1 confirm', '2 confirm']);
  });

  it('is asked for once an hour, and quarantined if the exchange is refused', async () => {
    world.add(1, HOST, { fileTarget: null, access });
    await round();
    expect(world.one(1).nextProbeAtMs! - world.one(1).nowMs).toBe(3_600_000);
    world.answers.set(HOST, 'refused');
    world.letPass(1);
    await round();
    expect(world.one(1).state).toBe('quarantined');
  });
});

describe('an offer of a trusted partner, without a database', () => {
  it('is accepted once its server has shown it', async () => {
    exchange.trust.set(HOST, 'trusted');
    exchange.settings.set('federatedfilesharing/auto_accept_trusted', 'yes');
    const stored = await exchange.received.insert(
      {
        ...{ peerId: exchange.enter(HOST).id, providerId: '7', name: 'plans' },
        ...{ tokenHmac: Buffer.from('key'), tokenEnc: Buffer.from('sealed'), kind: null, permissions: 31 },
        ...{ owner: `bea@${HOST}`, sender: `bea@${HOST}`, ownerDisplayName: '', senderDisplayName: '' },
        ...{ description: '', expiresAt: null, dialect: 'ocm-webdav', access: {}, verified: false },
        webappTokenEnc: null,
      },
      ['alice'],
      'an offer',
    );
    const id = stored.get('alice') as number;
    world.add(id, HOST, { state: 'pending', verified: false });
    world.answers.set(HOST, 'unclear');
    await round();
    expect(exchange.receivedShares[0]!.state).toBe('pending');
    world.answers.clear();
    world.letPass(1);
    await round();
    expect(exchange.receivedShares[0]!.state).toBe('accepted');
  });
});

describe('a probed accepted share, without a database', () => {
  it('is quarantined after a refusal, ends after three within a day, and returns to its place', async () => {
    world.add(1, HOST, { fileTarget: '/Shares/plans' });
    world.answers.set(HOST, 'refused');
    const states: string[] = [];
    for (const days of [0, 0.5, 0.5]) {
      world.letPass(days);
      await round();
      states.push(world.one(1).state);
    }
    expect(states).toEqual(['quarantined', 'quarantined', 'gone']);
    expect(world.refusals).toEqual([1, 1, 1]);
    world.answers.clear();
    world.letPass(2);
    await round();
    expect(world.one(1)).toMatchObject({ state: 'accepted', failedProbes: 0, fileTarget: '/Shares/plans' });
  });

  it('does not end while its server fails; one request checks this for all of its shares', async () => {
    world.unwell.add(HOST);
    world.answers.set(HOST, 'refused');
    for (const id of [1, 2, 3]) world.add(id, HOST);
    await round();
    expect(world.greeted).toEqual([HOST]);
    expect([1, 2, 3].map((id) => world.one(id))).toMatchObject(
      [1, 2, 3].map(() => ({ state: 'accepted', failedProbes: 0, unreachableSinceMs: world.nowMs })),
    );
  });

  it('reads only known folders that changed again', async () => {
    world.add(1, HOST, { etag: 'before' });
    world.etags.set('/read', 'new').set('/read/deep', 'new').set('/same', 'old').set('/unread', 'new');
    for (const path of ['', '/read', '/same']) world.readFolders.set(path, 'old');
    await round();
    expect(world.asked).toEqual(['1  0', '1  1', '1 /read 1']);
  });

  it('is not read further while its root is unchanged', async () => {
    world.add(1, HOST, { etag: 'root' });
    world.readFolders.set('', 'old');
    await round();
    expect(world.asked).toEqual(['1  0']);
  });
});

describe('a round at a partner, without a database', () => {
  const ids = Array.from({ length: 12 }, (_, index) => index + 1);

  it('ends if the partner is away, and the partner gets a pause', async () => {
    for (const id of ids) world.add(id, HOST);
    world.answers.set(HOST, 'away');
    await round();
    expect(world.asked).toEqual(['1  0', '2  0']);
    expect(world.pauses.get(world.one(1).peerId)).toBe(5 * 60_000);
  });

  it('does not pause the partner after a failed probe of a single share', async () => {
    world.add(1, HOST);
    world.answers.set(HOST, 'away');
    await round();
    expect(world.pauses.get(world.one(1).peerId)).toBe(0);
    expect(world.one(1).nextProbeAtMs! - world.nowMs).toBeLessThanOrEqual(1.2 * 20_000);
  });

  it('probes a part of many shares, and leaves the others to the next round', async () => {
    for (const id of ids) world.add(id, HOST);
    await round();
    expect(world.asked).toHaveLength(10);
    // Five requests a second, in rounds every two seconds.
    expect(world.pauses.get(world.one(1).peerId)).toBe(10 * 200 - 600);
  });

  it('continues with others after a failure of our own', async () => {
    world.add(1, HOST);
    world.add(2, 'other.example.org');
    const { show } = world.content;
    Object.assign(world.content, {
      show: (...about: Parameters<typeof show>) =>
        about[0].hostKey === HOST ? Promise.reject(new Error('no database')) : show(...about),
    });
    await round();
    expect(world.failures).toEqual([HOST]);
    expect(world.one(2).nextProbeAtMs).toBeGreaterThan(world.nowMs);
  });

  it('begins nothing while the process ends', async () => {
    world.add(1, HOST);
    world.stop();
    await round();
    expect(world.asked).toEqual([]);
  });
});
