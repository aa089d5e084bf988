import { Injectable } from '@nestjs/common';
import {
  ADDRESS_BOOK_PATH,
  ADDRESS_BOOK_USER,
  localCloudId,
  readSyncToken,
  syncTokenOf,
  writeAddressCard,
} from '#federation/protocol';
import { AddressCardRepository, HandshakeRepository, PeerRepository, type ListedCardRow } from '#persistence';
import { PublicAddress, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { trustIn } from '#sharing';
import { escapeXml } from '#storage';

const MAX_HEADER = 512;
/** Cards of one answer. ownCloud reads each of them before it asks again. */
const MAX_LISTED = 500;
const CARD_NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.vcf$/;

/** The text of a card, and its ETag. */
export interface ServedCard {
  readonly text: string;
  readonly etag: string;
}

/** The address book that trusted servers read: accounts that want to be in it, if an administrator allows the exchange. */
@Injectable()
export class SystemAddressBook {
  constructor(
    private readonly handshakes: HandshakeRepository,
    private readonly peers: PeerRepository,
    private readonly cards: AddressCardRepository,
    private readonly secrets: SecretBox,
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
  ) {}

  /** The trusted partner whose secret is in a header; undefined for none. */
  async partnerOf(authorization: string | undefined): Promise<number | undefined> {
    const secret = secretIn(authorization);
    const id = secret && (await this.handshakes.partnerWithSecret(this.secrets.lookup(secret)));
    const partner = id ? await this.peers.findById(id) : undefined;
    const isAllowed = partner && trustIn(await this.policy.current(), 'incoming', partner) === 'trusted';
    return isAllowed ? partner.id : undefined;
  }

  /** The changes since a token, in XML. @returns undefined for a token that we did not give */
  async changesSince(token: string): Promise<string | undefined> {
    const after = token === '' ? undefined : readSyncToken(token);
    if (token !== '' && after === undefined) return undefined;
    const { exchangeAddressBooks } = (await this.policy.current()).federation;
    const changes = await this.cards.changes(exchangeAddressBooks, after, MAX_LISTED);
    if (!changes) return undefined;
    const { cards, revision, isTruncated } = changes;
    const book = `${new URL(this.address.url).pathname.replace(/\/$/, '')}${ADDRESS_BOOK_PATH}`;
    const responses = cards.map((card) => responseOf(book, card));
    // RFC 6578, 3.6: the client asks again with the new token.
    if (isTruncated)
      responses.push(
        `<d:response><d:href>${escapeXml(book)}/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>`,
      );
    return `<?xml version="1.0" encoding="utf-8"?>
<d:multistatus xmlns:d="DAV:">${responses.join('')}<d:sync-token>${syncTokenOf(revision)}</d:sync-token></d:multistatus>
`;
  }

  /** @param name of the card, from a list of changes */
  async card(name: string): Promise<ServedCard | undefined> {
    const [, id] = CARD_NAME.exec(name) ?? [];
    const { exchangeAddressBooks } = (await this.policy.current()).federation;
    const found = id && exchangeAddressBooks ? await this.cards.card(id) : undefined;
    if (!found) return undefined;
    const cloudId = localCloudId(found.uid, this.address.url);
    return { text: writeAddressCard({ ...found, cloudId }), etag: etagOf(found) };
  }
}

const etagOf = ({ revision }: Pick<ListedCardRow, 'revision'>): string => `"${revision}"`;

function responseOf(book: string, card: ListedCardRow): string {
  const href = `<d:href>${escapeXml(book)}/${card.id}.vcf</d:href>`;
  if (card.withdrawn) return `<d:response>${href}<d:status>HTTP/1.1 404 Not Found</d:status></d:response>`;
  const properties = `<d:getcontenttype>text/vcard; charset=utf-8</d:getcontenttype><d:getetag>${escapeXml(etagOf(card))}</d:getetag>`;
  return `<d:response>${href}<d:propstat><d:prop>${properties}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
}

function secretIn(authorization = ''): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization.slice(0, MAX_HEADER)) ?? [];
  const credentials = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const user = `${ADDRESS_BOOK_USER}:`;
  return credentials.startsWith(user) ? credentials.slice(user.length) : undefined;
}
