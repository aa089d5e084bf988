import type { PeerProfile } from '#federation/protocol';
import { policyFrom, type PartnerTrust } from '#sharing';
import type { AddressBookPorts, BookAnswer, BookChanges, ListedCard } from '../ports/address-books';
import { readAddressBook } from './read-address-book';

const HOST = 'there.example.org';
const PROFILE = { baseUrl: `https://${HOST}` } as PeerProfile;
const BOOK = { peerId: 3, hostKey: HOST, syncToken: '', sealedSecret: Buffer.from('in common') };
const card = (user: string, host = HOST): string =>
  `BEGIN:VCARD\r\nFN:${user}\r\nCLOUD:${user}@${host}\r\nEND:VCARD\r\n`;

/** A partner with a book, and the part of it that is stored here. */
class Books implements AddressBookPorts {
  trust: PartnerTrust = 'trusted';
  paused = false;
  answer: BookAnswer | undefined;
  listed: ListedCard[] = [];
  readonly cards = new Map<string, string | undefined>();
  readonly stored = new Map<string, string>();
  readonly calls_: string[] = [];
  kept: BookChanges | undefined;
  failed: unknown[] | undefined;
  readonly policy = { current: () => Promise.resolve(policyFrom(new Map())) };
  readonly secrets = { open: (sealed: Buffer) => sealed.toString() };
  readonly partners = {
    find: (id: number) =>
      Promise.resolve({ id, hostKey: HOST, trust: this.trust, outgoingTrust: null, paused: this.paused }),
    profileOf: () => Promise.resolve({ kind: 'partner' as const, profile: PROFILE }),
  };
  readonly calls: AddressBookPorts['calls'] = {
    changes: (_partner, secret, token) => {
      this.calls_.push(`changes ${secret.reveal()} ${token}`);
      const changes = { kind: 'changes', cards: this.listed, syncToken: 'next', isTruncated: false } as const;
      return Promise.resolve(this.answer ?? changes);
    },
    card: (_partner, _secret, name) => {
      this.calls_.push(name);
      return Promise.resolve(this.cards.has(name) ? this.cards.get(name) : null);
    },
  };
  readonly books: AddressBookPorts['books'] = {
    etags: () => Promise.resolve(this.stored),
    keep: (_peerId, changes) => {
      this.kept = changes;
      for (const name of changes.removed) this.stored.delete(name);
      for (const { name, etag } of changes.changed) this.stored.set(name, etag);
      return Promise.resolve();
    },
    fail: (_peerId, ...how) => Promise.resolve(void (this.failed = how)),
    empty: () => Promise.resolve(this.stored.clear()),
  };

  add(name: string, text: string | undefined, etag = '1'): void {
    this.cards.set(name, text);
    this.listed.push({ name, etag });
  }
}

let ports: Books;
beforeEach(() => void (ports = new Books()));

it('stores the people of a partner, and the mark with which it asks for changes', async () => {
  ports.add('a.vcf', card('alice'));
  expect(await readAddressBook(ports, BOOK)).toEqual({ kind: 'read', changed: 1, removed: 0 });
  expect(ports.calls_).toEqual(['changes in common ', 'a.vcf']);
  expect(ports.kept).toMatchObject({
    changed: [{ name: 'a.vcf', etag: '1', card: { cloudId: `alice@${HOST}` } }],
    syncToken: 'next',
    afterSeconds: 86_400,
  });
});

it('takes nobody of another host, and does not read such a card again', async () => {
  ports.add('eve.vcf', card('eve', 'bank.example'));
  await readAddressBook(ports, BOOK);
  expect(ports.kept?.changed).toEqual([{ name: 'eve.vcf', etag: '1', card: undefined }]);
  await readAddressBook(ports, BOOK);
  expect(ports.calls_.filter((call) => call === 'eve.vcf')).toHaveLength(1);
});

it('removes withdrawn cards, and after a whole list those that are not in it', async () => {
  ports.stored.set('old.vcf', '1').set('gone.vcf', '1').set('kept.vcf', '1');
  ports.listed = [
    { name: 'gone.vcf', etag: null },
    { name: 'kept.vcf', etag: '1' },
  ];
  await readAddressBook(ports, { ...BOOK, syncToken: 'before' });
  expect([...ports.stored.keys()]).toEqual(['old.vcf', 'kept.vcf']);
  await readAddressBook(ports, BOOK);
  expect([...ports.stored.keys()]).toEqual(['kept.vcf']);
});

it('reads a large book in turns, each bounded, and no more cards than are stored of one partner', async () => {
  for (let number = 0; number < 6000; number += 1) ports.add(`${number}.vcf`, card(`p${number}`));
  await readAddressBook(ports, BOOK);
  expect([ports.calls_.length, ports.kept?.syncToken, ports.kept?.afterSeconds]).toEqual([
    201,
    undefined,
    60,
  ]);
  let turns = 1;
  while (ports.kept?.syncToken === undefined && turns < 100) {
    await readAddressBook(ports, BOOK);
    turns += 1;
  }
  expect([turns, ports.stored.size]).toEqual([25, 5000]);
});

it('goes on later where a card could not be read', async () => {
  ports.add('a.vcf', card('alice'));
  ports.add('b.vcf', undefined);
  await readAddressBook(ports, BOOK);
  expect([ports.kept?.changed.length, ports.kept?.syncToken]).toEqual([1, undefined]);
});

it('removes everything where the partner refuses the secret, or is no longer trusted', async () => {
  ports.stored.set('a.vcf', '1');
  ports.answer = { kind: 'refused' };
  await readAddressBook(ports, BOOK);
  expect([ports.stored.size, ports.failed]).toEqual([0, ['its server refuses the secret', 86_400, true]]);
  ports.stored.set('a.vcf', '1');
  ports.calls_.length = 0;
  ports.trust = 'allowed';
  await readAddressBook(ports, BOOK);
  expect([ports.stored.size, ports.calls_]).toEqual([0, []]);
  // The next reading takes the whole book, so that removed cards come back when the partner is trusted again.
  expect(ports.failed).toEqual(['it is not trusted', 3600, true]);
});

it('begins with an empty book if the partner does not know the mark, once', async () => {
  ports.stored.set('withdrawn meanwhile.vcf', '1');
  ports.answer = { kind: 'token-unknown' };
  await readAddressBook(ports, { ...BOOK, syncToken: 'lost' });
  expect(ports.failed).toEqual(['its server does not know our mark any more', 60, true]);
  expect(ports.stored.size).toBe(0);
  ports.stored.set('a.vcf', '1');
  await readAddressBook(ports, BOOK);
  expect(ports.failed).toEqual(['its server does not know our mark any more', 3600]);
  expect(ports.stored.size).toBe(1);
});

it('calls no paused partner', async () => {
  ports.paused = true;
  expect(await readAddressBook(ports, BOOK)).toMatchObject({ kind: 'failed' });
  expect(ports.calls_).toEqual([]);
});
