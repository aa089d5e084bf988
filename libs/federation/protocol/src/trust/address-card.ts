import { CloudIdInvalid, parseCloudId, type FederatedCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { spellCloudId } from '../addresses/spelling';

/** Place of the address book of every account, below a server's address, in ownCloud and Nextcloud. */
export const ADDRESS_BOOK_PATH = '/remote.php/dav/addressbooks/system/system/system';
/** User id with which trusted servers read each other's address book. */
export const ADDRESS_BOOK_USER = 'system';
/** Maximum of a card, in characters: cards of other servers contain pictures. */
export const MAX_CARD_LENGTH = 512 * 1024;

/** A person in the address book of a trusted server. */
export interface AddressCard {
  readonly cloudId: string;
  /** The same for all spellings of the cloud id. */
  readonly canonical: string;
  /** Empty if there is none. */
  readonly displayName: string;
  /** Empty if there is none. */
  readonly email: string;
  /** Empty if there is none. */
  readonly organisation: string;
}

/** A person in our own address book. */
export interface OwnCard {
  readonly id: string;
  readonly cloudId: FederatedCloudId;
  readonly displayName: string;
  readonly email: string | null;
}

const MAX_TEXT = 256;
const MAX_MAIL = 254;
const MAX_LINES = 20_000;
const MAX_LINE_BYTES = 75;

/** A card in the form that ownCloud makes: vCard 3.0 with the cloud id in CLOUD. */
export function writeAddressCard({ id, cloudId, displayName, email }: OwnCard): string {
  const [last = '', ...first] = displayName.trim().split(/\s+/).reverse();
  const name = [last, first.reverse().join(' '), '', '', ''].map(escaped).join(';');
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `UID:${escaped(id)}`,
    `FN:${escaped(displayName)}`,
    `N:${name}`,
    ...(email === null ? [] : [`EMAIL;TYPE=OTHER:${escaped(email)}`]),
    `CLOUD:${escaped(spellCloudId(cloudId, 'without-scheme'))}`,
    'END:VCARD',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

const escaped = (text: string): string => text.replace(/[\p{Cc}]+/gu, ' ').replace(/[\\,;]/g, '\\$&');

/** Folds a line to 75 bytes without cutting a character. */
function folded(line: string): string {
  let [text, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_LINE_BYTES) [text, bytes] = [`${text}\r\n `, 1];
    text += character;
    bytes += size;
  }
  return text;
}

/**
 * Reads a card of a partner (vCard 2.1 to 4.0). Values are cut to a maximum, and control characters are removed.
 * @param hostKey of the partner, which can name only its own people
 * @returns undefined if it names nobody at the partner
 */
export function readAddressCard(text: string, hostKey: string): AddressCard | undefined {
  if (text.length > MAX_CARD_LENGTH) return undefined;
  const values = valuesOf(text);
  const id = cloudIdOf(values.get('CLOUD') ?? '');
  if (!id || peerKeyOf(id) !== hostKey) return undefined;
  const email = plain(values.get('EMAIL') ?? '', MAX_MAIL);
  return {
    cloudId: `${id.userAsWritten}@${hostKey}`,
    canonical: id.canonical,
    displayName: plain(values.get('FN') ?? '', MAX_TEXT),
    email: /^[^\s@]+@[^\s@]+$/.test(email) ? email : '',
    organisation: plain((values.get('ORG') ?? '').split(/(?<!\\);/)[0]!, MAX_TEXT),
  };
}

function cloudIdOf(written: string): FederatedCloudId | undefined {
  try {
    return parseCloudId(unescaped(written));
  } catch (error) {
    if (error instanceof CloudIdInvalid) return undefined;
    throw error;
  }
}

const WANTED: ReadonlySet<string> = new Set(['CLOUD', 'EMAIL', 'FN', 'ORG']);
/** A property with its group and parameters; quoted parameters may contain any sign. */
const PROPERTY = /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)(?:;(?:"[^"]*"|[^":])*)?:(.*)$/s;

/** The first value of each wanted property of the first card, still escaped. */
function valuesOf(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/, MAX_LINES)) {
    if (/^END:VCARD\s*$/i.test(line)) break;
    const [, written, value] = PROPERTY.exec(line) ?? [];
    const name = written?.toUpperCase();
    if (name !== undefined && WANTED.has(name) && !values.has(name)) values.set(name, value!);
  }
  return values;
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_whole, sign: string) => (sign === 'n' || sign === 'N' ? ' ' : sign));

const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
const plain = (text: string, most: number): string =>
  [...unescaped(text).toWellFormed().replace(UNSEEN, ' ').trim()].slice(0, most).join('');
