import { readAddressCard, SecretText, type PeerProfile } from '#federation/protocol';
import { trustIn } from '#sharing';
import type { AddressBookPorts, DueAddressBook, ListedCard, StoredCard } from '../ports/address-books';
import type { ReachedPartner } from '../ports/reached-partners';

const DAY = 86_400;
const AFTER_FAILURE = 3600;
/** More cards follow. */
const SOON = 60;
/** Cards that are stored of one partner. */
const MAX_CARDS = 5000;
/** Cards that are read in one turn, one after the other. */
const MAX_READ = 200;

/** Result of a reading, for the log. */
export type BookReading =
  | { readonly kind: 'read'; readonly changed: number; readonly removed: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Cards that were read in this turn. */
interface Turn {
  readonly changed: StoredCard[];
  readonly removed: Set<string>;
  /** Whether every listed card was read. */
  isComplete: boolean;
}

/**
 * Reads the changes of a trusted partner's address book since the last reading. Only people at the host of the partner are taken.
 * A turn reads a bounded number of cards; the next one skips those that it stored.
 */
export async function readAddressBook<Partner extends ReachedPartner>(
  ports: AddressBookPorts<Partner>,
  book: DueAddressBook,
): Promise<BookReading> {
  const { partners, policy, books, calls } = ports;
  const fail = async (reason: string): Promise<BookReading> => {
    await books.fail(book.peerId, reason, AFTER_FAILURE);
    return { kind: 'failed', reason };
  };
  /** The next reading begins with an empty book: a list in several parts does not show which stored cards are gone. */
  const beginAnew = async (reason: string, afterSeconds: number): Promise<BookReading> => {
    await books.empty(book.peerId);
    await books.fail(book.peerId, reason, afterSeconds, true);
    return { kind: 'failed', reason };
  };
  const partner = await partners.find(book.peerId);
  if (!partner || trustIn(await policy.current(), 'incoming', partner) !== 'trusted')
    return beginAnew('it is not trusted', AFTER_FAILURE);
  if (partner.paused) return fail('nothing is sent to it now');
  const found = await partners.profileOf(partner);
  if (found.kind !== 'partner') return fail('its server gives no answer');
  const secret = new SecretText(ports.secrets.open(book.sealedSecret));
  const answer = await calls.changes(found.profile, secret, book.syncToken);
  if (answer.kind === 'later') return fail(answer.reason);
  if (answer.kind === 'refused') return beginAnew('its server refuses the secret', DAY);
  if (answer.kind === 'token-unknown') {
    const reason = 'its server does not know our mark any more';
    return book.syncToken === '' ? fail(reason) : beginAnew(reason, SOON);
  }
  const stored = await books.etags(book.peerId);
  const turn = await readCards(ports, book, found.profile, secret, answer.cards, stored);
  const isWhole = book.syncToken === '' && !answer.isTruncated;
  if (isWhole) removeUnlisted(turn, stored, answer.cards);
  const removed = [...turn.removed];
  const { changed, isComplete } = turn;
  const afterSeconds = isComplete && !answer.isTruncated ? DAY : SOON;
  const syncToken = isComplete ? answer.syncToken : undefined;
  await books.keep(book.peerId, { changed, removed, syncToken, afterSeconds });
  return { kind: 'read', changed: changed.length, removed: removed.length };
}

async function readCards(
  { calls }: Pick<AddressBookPorts, 'calls'>,
  { hostKey }: DueAddressBook,
  profile: PeerProfile,
  secret: SecretText,
  listed: readonly ListedCard[],
  stored: ReadonlyMap<string, string>,
): Promise<Turn> {
  const turn: Turn = { changed: [], removed: new Set(), isComplete: true };
  let [count, calledFor] = [stored.size, 0];
  for (const { name, etag } of listed) {
    if (etag === null) {
      turn.removed.add(name);
      continue;
    }
    if (etag !== '' && stored.get(name) === etag) continue;
    if (!stored.has(name) && count >= MAX_CARDS) continue;
    if (calledFor === MAX_READ) return { ...turn, isComplete: false };
    calledFor += 1;
    const text = await calls.card(profile, secret, name);
    if (text === undefined) return { ...turn, isComplete: false };
    if (text === null) {
      turn.removed.add(name);
      continue;
    }
    turn.changed.push({ name, etag, card: readAddressCard(text, hostKey) });
    if (!stored.has(name)) count += 1;
  }
  return turn;
}

/** After a list of everything, a stored card that is not in it is gone. */
function removeUnlisted(
  turn: Turn,
  stored: ReadonlyMap<string, string>,
  listed: readonly ListedCard[],
): void {
  const names = new Set(listed.map(({ name }) => name));
  for (const name of stored.keys()) if (!names.has(name)) turn.removed.add(name);
}
