import { TRAITS, type PeerProduct } from './peer-product';
import { recipientIsOurs, reshareEnds, type ReshareProduct, type ReshareSide } from './reshare-ends';

const LETTERS: Readonly<Record<ReshareSide, string>> = { owner: 'A', resharer: 'B', recipient: 'C' };

/** Text such as `B>A reshare-undone A`: B sends A a message with A's id of the share. */
const notified = (products: Record<ReshareSide, ReshareProduct>, endedBy: ReshareSide): string =>
  reshareEnds(products, endedBy)
    .map(({ from, to, kind, idOf }) => `${LETTERS[from]}>${LETTERS[to]} ${kind} ${LETTERS[idOf]}`)
    .join(', ');

const BY_RESHARER = 'B>A reshare-undone A, B>C share-unshared A';
const BY_OWNER = 'B>A reshare-undone A, A>C share-unshared A';
const BY_BOTH = 'B>A reshare-undone A, A>C share-unshared A, B>C share-unshared A';

/** Columns: owner, resharer, recipient, and the messages when the resharer ends the share. */
const CELLS = [
  ['owncloud', 'owncloud', 'owncloud', BY_RESHARER],
  ['owncloud', 'owncloud', 'ours', BY_RESHARER],
  ['owncloud', 'owncloud', 'other', BY_RESHARER],
  ['owncloud', 'ours', 'owncloud', BY_RESHARER],
  ['owncloud', 'ours', 'ours', BY_RESHARER],
  ['owncloud', 'ours', 'other', BY_RESHARER],
  ['owncloud', 'other', 'owncloud', BY_RESHARER],
  ['owncloud', 'other', 'ours', BY_RESHARER],
  ['owncloud', 'other', 'other', BY_RESHARER],
  ['ours', 'owncloud', 'owncloud', BY_BOTH],
  ['ours', 'owncloud', 'ours', BY_BOTH],
  ['ours', 'owncloud', 'other', BY_BOTH],
  ['ours', 'ours', 'owncloud', BY_OWNER],
  ['ours', 'ours', 'ours', BY_OWNER],
  ['ours', 'ours', 'other', BY_OWNER],
  ['ours', 'other', 'owncloud', BY_BOTH],
  ['ours', 'other', 'ours', BY_BOTH],
  ['ours', 'other', 'other', BY_BOTH],
  ['other', 'owncloud', 'owncloud', BY_RESHARER],
  ['other', 'owncloud', 'ours', BY_RESHARER],
  ['other', 'owncloud', 'other', BY_RESHARER],
  ['other', 'ours', 'owncloud', BY_RESHARER],
  ['other', 'ours', 'ours', BY_RESHARER],
  ['other', 'ours', 'other', BY_RESHARER],
  ['other', 'other', 'owncloud', BY_RESHARER],
  ['other', 'other', 'ours', BY_RESHARER],
  ['other', 'other', 'other', BY_RESHARER],
] as const;

describe('the message about the end of a reshare', () => {
  it('has a rule for every three products', () => {
    expect(new Set(CELLS.map((cell) => cell.slice(0, 3).join())).size).toBe(27);
  });

  it.each(CELLS)('owner %s, resharer %s, recipient %s', (owner, resharer, recipient, byResharer) => {
    const products = { owner, resharer, recipient };
    expect(notified(products, 'resharer')).toBe(byResharer);
    expect(notified(products, 'owner')).toBe('A>C share-unshared A, A>B reshare-undone B');
    expect(notified(products, 'recipient')).toBe('C>A share-declined A, A>B share-declined B');
  });

  it('goes to the recipient from us, unless the owner’s server is one of ours', () => {
    const products = Object.keys(TRAITS) as PeerProduct[];
    expect(products.filter((product) => !recipientIsOurs(product))).toEqual(['drawbridge']);
  });
});
