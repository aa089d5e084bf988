import type { ContentKey } from '#federation/protocol';
import type { Readable } from 'node:stream';
import { RemoteFailure, type RemoteShare } from '#federation/remote-files';
import type { EgressRequest, GuardedClient, StreamAnswer } from '../egress/guarded-client';
import { readBounded } from '../egress/bounded-body';
import type { AccessTokens } from './access-tokens';
import { failureOfError } from './remote-failures';
import type { SharedContent } from './shared-content';

export type DavRequest = Omit<EgressRequest, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** The credentials with which a request succeeded. */
export interface UsedCredentials {
  readonly key: ContentKey;
  /** The stored form of an access token; null for other credentials. */
  readonly sealedToken: Buffer | null;
  readonly authorization: string;
}

const REMEMBERED_MS = 3_600_000;
/** Maximum of an unwanted answer that is read to keep the connection. */
const DISCARDED_BYTES = 16 * 1024;

/**
 * Sends requests with the keys of a share. While the answer is 401, it tries the next key; the key that worked last at this
 * partner comes first. No redirect is followed: the client refuses them.
 */
export class ContentClient {
  /** By partner: the form in which the plain secret was accepted. */
  private readonly worked = new Map<number, { readonly key: ContentKey; readonly until: number }>();

  constructor(
    private readonly client: GuardedClient,
    readonly tokens: AccessTokens,
  ) {}

  /**
   * Sends a request that may be repeated. The answer has status 401 only if no key works.
   * @throws RemoteFailure
   */
  async send(content: SharedContent, request: DavRequest): Promise<StreamAnswer> {
    return (await this.open(content, request)).answer;
  }

  /** @returns the answer and the credentials that worked; undefined if none did */
  async open(
    content: SharedContent,
    request: DavRequest,
  ): Promise<{ readonly answer: StreamAnswer; readonly credentials: UsedCredentials | undefined }> {
    const keys = await this.keysOf(content);
    for (const [at, key] of keys.entries()) {
      const { answer, credentials } = await this.tryKey(content, request, key);
      if (answer.status !== 401) {
        this.remember(content.share.peerId, key);
        return { answer, credentials };
      }
      if (at === keys.length - 1) return { answer, credentials: undefined };
      discard(answer.body);
    }
    throw new Error('a share that nothing opens');
  }

  /** Sends a request that cannot be repeated, with the credentials that worked before. @throws RemoteFailure */
  async sendOnce(
    content: SharedContent,
    request: DavRequest,
    { authorization }: UsedCredentials,
  ): Promise<StreamAnswer> {
    const headers = { 'accept-encoding': 'identity', ...request.headers, authorization };
    return this.client.stream({ ...request, headers }).catch((error: unknown) => {
      throw failureOfError(content.share.hostKey, error);
    });
  }

  /** Asks without credentials whether the server answers. @throws RemoteFailure */
  async greet(
    { hostKey }: RemoteShare,
    url: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number }> {
    try {
      const { status, body } = await this.client.stream({ method: 'OPTIONS', url, headers: {}, signal });
      discard(body);
      return { status };
    } catch (error) {
      throw signal.aborted
        ? new RemoteFailure('unreachable', hostKey, 'timeout', undefined, 'silent')
        : failureOfError(hostKey, error);
    }
  }

  /** The credentials that will certainly work; undefined if they have to be tried. */
  knownCredentials(content: SharedContent): UsedCredentials | undefined {
    const [only, ...others] = content.place.keys;
    const known = others.length === 0 ? only : this.remembered(content.share.peerId);
    return known && known !== 'token' && !content.place.keys.includes('token')
      ? secretCredentials(content, known)
      : undefined;
  }

  private async tryKey(
    content: SharedContent,
    request: DavRequest,
    key: ContentKey,
  ): Promise<{ answer: StreamAnswer; credentials: UsedCredentials }> {
    if (key !== 'token') {
      const credentials = secretCredentials(content, key);
      return { answer: await this.sendOnce(content, request, credentials), credentials };
    }
    const first = await this.tokenCredentials(content, null);
    const answer = await this.sendOnce(content, request, first);
    if (answer.status !== 401) return { answer, credentials: first };
    discard(answer.body);
    const renewed = await this.tokenCredentials(content, first.sealedToken);
    return { answer: await this.sendOnce(content, request, renewed), credentials: renewed };
  }

  private async tokenCredentials(content: SharedContent, worthless: Buffer | null): Promise<UsedCredentials> {
    const { token, sealed } = await this.tokens.of(content, worthless);
    return { key: 'token', sealedToken: sealed, authorization: `Bearer ${token.reveal()}` };
  }

  private async keysOf({ share, place }: SharedContent): Promise<readonly ContentKey[]> {
    const { keys } = place;
    if (keys.length === 1) return keys;
    const isExchanged = keys.includes('token') && (await this.tokens.isUsedBy(share.receivedShareId));
    const first = isExchanged ? 'token' : this.remembered(share.peerId);
    return first && keys.includes(first) ? [first, ...keys.filter((key) => key !== first)] : keys;
  }

  private remember(peerId: number, key: ContentKey): void {
    // A token says nothing about the next share, which may not need one.
    if (key !== 'token' && key !== 'link')
      this.worked.set(peerId, { key, until: Date.now() + REMEMBERED_MS });
  }

  private remembered(peerId: number): ContentKey | undefined {
    const found = this.worked.get(peerId);
    return found && found.until > Date.now() ? found.key : undefined;
  }
}

/** Reads the rest of a small unwanted body, or closes the connection of a large one. */
export function discard(body: Readable): void {
  void readBounded(body, undefined, DISCARDED_BYTES);
}

function secretCredentials({ secret }: SharedContent, key: Exclude<ContentKey, 'token'>): UsedCredentials {
  const shown = secret.reveal();
  const basic = Buffer.from(key === 'link' ? shown : `${shown}:`).toString('base64');
  const authorization = key === 'bearer' ? `Bearer ${shown}` : `Basic ${basic}`;
  return { key, sealedToken: null, authorization };
}
