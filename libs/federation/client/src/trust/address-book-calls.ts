import type { BookAnswer, ListedCard } from '#federation/exchange';
import {
  ADDRESS_BOOK_PATH,
  ADDRESS_BOOK_USER,
  MAX_CARD_LENGTH,
  SecretText,
  type PeerProfile,
} from '#federation/protocol';
import { EgressFailed } from '../egress/egress-failed';
import type { GuardedClient, StreamAnswer } from '../egress/guarded-client';
import { MultistatusRefused, readSyncCollection, type DavResponse } from '../files/multistatus-reader';

const LIMITS = { bytes: 8 * 1024 * 1024, entries: 20_000 };
/** Milliseconds for a whole list, and for a card. */
const LIST_MS = 60_000;
const CARD_MS = 15_000;
const MAX_NAME = 255;
const MAX_ETAG = 512;
const MAX_TOKEN = 2048;
const ETAG = 'DAV: getetag';
/** Maximum of the answer to a refused token. */
const MAX_REFUSAL_BYTES = 16 * 1024;

type BookPartner = Pick<PeerProfile, 'baseUrl'>;

/** Reads the address books of trusted servers, as ownCloud and Nextcloud read ours: a list of changes, and then each card. */
export class AddressBookCalls {
  constructor(private readonly client: Pick<GuardedClient, 'stream' | 'exchange'>) {}

  /** Never throws for errors of a partner. */
  async changes(partner: BookPartner, secret: SecretText, syncToken: string): Promise<BookAnswer> {
    const request = {
      method: 'REPORT',
      url: bookOf(partner),
      headers: { ...credentials(secret), 'content-type': 'application/xml; charset=utf-8', depth: '1' },
      body: reportFor(syncToken),
      signal: AbortSignal.timeout(LIST_MS),
    } as const;
    try {
      return await readAnswer(await this.client.stream(request));
    } catch (error) {
      if (error instanceof EgressFailed) return later(`its server cannot be asked: ${error.failure}`);
      if (error instanceof MultistatusRefused) return later('its answer is not a list of changes');
      throw error;
    }
  }

  /** Never throws for errors of a partner. @returns undefined if it cannot be read now; null if there is none */
  async card(partner: BookPartner, secret: SecretText, name: string): Promise<string | undefined | null> {
    const url = `${bookOf(partner)}/${encodeURIComponent(name)}`;
    try {
      const answer = await this.client.exchange(
        { method: 'GET', url, headers: credentials(secret) },
        CARD_MS,
      );
      const { status, text, incomplete } = answer;
      if (status === 404 || incomplete === 'too-large') return null;
      if (status !== 200 || incomplete) return undefined;
      return text.length > MAX_CARD_LENGTH ? null : text;
    } catch (error) {
      if (error instanceof EgressFailed) return undefined;
      throw error;
    }
  }
}

const bookOf = ({ baseUrl }: BookPartner): string => `${baseUrl}${ADDRESS_BOOK_PATH}`;

const credentials = (secret: SecretText) => ({
  authorization: `Basic ${Buffer.from(`${ADDRESS_BOOK_USER}:${secret.reveal()}`).toString('base64')}`,
});

const later = (reason: string): BookAnswer => ({ kind: 'later', reason });

/** @param syncToken text of the partner */
function reportFor(syncToken: string): string {
  const token = syncToken.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>
`;
}

async function readAnswer({ status, body }: StreamAnswer): Promise<BookAnswer> {
  if (status !== 207) {
    const text = status === 403 ? await startOf(body) : '';
    body.on('error', () => undefined).destroy();
    if (text.includes('valid-sync-token')) return { kind: 'token-unknown' };
    return status === 401 || status === 403 ? { kind: 'refused' } : later(`its server answered ${status}`);
  }
  const { responses, syncToken } = await readSyncCollection(body, LIMITS);
  if (syncToken === '' || syncToken.length > MAX_TOKEN) return later('its answer has no mark of the state');
  const isTruncated = responses.some((one) => one.status === 507);
  return { kind: 'changes', cards: responses.flatMap(listed), syncToken, isTruncated };
}

async function startOf(body: StreamAnswer['body']): Promise<string> {
  let text = '';
  for await (const chunk of body as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > MAX_REFUSAL_BYTES) break;
  }
  return text;
}

/** A card by the last part of its address: its host and folder are ours to decide. */
function listed({ href, status, properties }: DavResponse): ListedCard[] {
  const name = decoded(/([^/]+)$/.exec(href)?.[1] ?? '');
  if (status === 507 || name === '' || name.length > MAX_NAME || !/\.vcf$/i.test(name)) return [];
  if (status !== undefined && status >= 400) return [{ name, etag: null }];
  const etag = properties.get(ETAG) ?? '';
  return etag.length > MAX_ETAG ? [] : [{ name, etag }];
}

function decoded(text: string): string {
  try {
    const name = decodeURIComponent(text);
    return name.isWellFormed() && !/[\p{Cc}/]/u.test(name) ? name : '';
  } catch {
    return '';
  }
}
