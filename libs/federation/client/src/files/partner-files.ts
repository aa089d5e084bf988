import type { Readable } from 'node:stream';
import { LINK_DIALECT, PROPFIND_BODY, webappAddress } from '#federation/protocol';
import type { WebappEntry } from '#federation/exchange';
import { SHARE } from '#sharing';
import {
  RemoteFailure,
  type RemoteContent,
  type RemoteEntry,
  type RemoteFiles,
  type RemotePage,
  type RemoteShare,
  type RemoteWrite,
} from '#federation/remote-files';
import { ROOT, type ByteRange, type NodePath } from '#sharing';
import { EgressFailed } from '../egress/egress-failed';
import type { StreamAnswer } from '../egress/guarded-client';
import { isEncoded, isPage, readContentHead } from './content-answer';
import { discard, type ContentClient, type DavRequest } from './content-client';
import { download } from './download';
import { MultistatusRefused, readMultistatus } from './multistatus-reader';
import { PACE_LIMITS } from './pace';
import { PartnerUploads } from './partner-uploads';
import { failureOfError, failureOfStatus, notUnderstood, type DavOperation } from './remote-failures';
import { readListing } from './remote-listing';
import { resumedDownload } from './resumed-download';
import { addressOf, type SharedContent, type SharedContents } from './shared-content';
import type { UploadLimits } from './upload';

/** Milliseconds for a probe, if the caller sets no limit. */
const PROBE_MS = 30_000;

/** Limits of transfers in both directions. */
export interface TransferLimits extends UploadLimits {
  /** Pauses before an interrupted read continues; see `Rest`. */
  readonly resumePausesMs: readonly number[];
}

const FILE_LIMITS: TransferLimits = {
  ...PACE_LIMITS,
  idleMs: 30_000,
  answerMs: 60_000,
  resumePausesMs: [250, 1_000, 3_000, 8_000],
};

/**
 * The content of received shares on their partners' WebDAV servers, in the dialect of each offer.
 *
 * A share of a single file has the file at its root (`''`). Newer partners may have it at `<root>/<name>`
 * instead: if there is nothing at the root, it is looked for and read there. It is written at the root.
 */
export class PartnerFiles implements RemoteFiles {
  private readonly uploads: PartnerUploads;

  constructor(
    private readonly contents: SharedContents,
    private readonly client: ContentClient,
    private readonly limits: TransferLimits = FILE_LIMITS,
  ) {
    this.uploads = new PartnerUploads(client, limits);
  }

  /** Sent without credentials: the server answers even if its back ends do not. */
  async greet(share: RemoteShare, withinMs: number): Promise<void> {
    const { place } = await this.contents.of(share, withinMs);
    const { status } = await this.client.greet(share, addressOf(place, ROOT), AbortSignal.timeout(withinMs));
    if (status >= 502 && status <= 504)
      throw new RemoteFailure('unreachable', share.hostKey, `HTTP ${status}`, undefined, 'gap');
  }

  async confirm(share: RemoteShare, withinMs: number): Promise<void> {
    await this.client.tokens.renew(await this.contents.exchanged(share, null, withinMs));
  }

  async enterWebapp(
    share: RemoteShare,
    { uri, sealedSecret }: RemotePage,
    hosts: readonly string[],
  ): Promise<WebappEntry> {
    const content = await this.contents.exchanged(share, sealedSecret);
    const address = webappAddress(uri, content.partner, hosts);
    if (address === undefined)
      throw new RemoteFailure('forbidden', share.hostKey, 'its page is elsewhere', undefined, 'none');
    const { tokens } = this.client;
    const token = sealedSecret ? await tokens.once(content) : (await tokens.of(content)).token;
    return { uri: address, token: token.reveal() };
  }

  async probe(
    share: RemoteShare,
    path: NodePath,
    depth: 0 | 1,
    withinMs = PROBE_MS,
  ): Promise<readonly RemoteEntry[]> {
    const { hostKey } = share;
    const deadline = new AbortController();
    const expired = new Promise<never>((_resolve, reject) => {
      deadline.signal.onabort = () =>
        reject(new RemoteFailure('unreachable', hostKey, 'timeout', undefined, 'silent'));
    });
    const timer = setTimeout(() => deadline.abort(new EgressFailed('timeout', hostKey, true)), withinMs);
    const looked = this.contents
      .of(share, withinMs)
      .then((content) => this.lookAt(content, path, depth, deadline.signal));
    return Promise.race([looked, expired]).finally(() => clearTimeout(timer));
  }

  async read(share: RemoteShare, path: NodePath, range?: ByteRange): Promise<RemoteContent> {
    const begun = await this.readOnce(share, path, range, {});
    if (begun === 'unchanged') throw unaskedNotModified(share);
    return this.resumed(share, path, begun);
  }

  async readIfChanged(
    share: RemoteShare,
    path: NodePath,
    etag: string,
    range?: ByteRange,
  ): Promise<RemoteContent | 'unchanged'> {
    const begun = await this.readOnce(share, path, range, { 'if-none-match': `"${etag}"` });
    return begun === 'unchanged' ? begun : this.resumed(share, path, begun);
  }

  /** The content, which continues by range after an interruption. */
  private resumed(share: RemoteShare, path: NodePath, { body, ...head }: RemoteContent): RemoteContent {
    const { size, etag } = head;
    if (etag === null || size === 0) return { body, ...head };
    const wanted = head.range ?? { start: 0, end: size - 1 };
    const ask = (rest: ByteRange): Promise<Readable> => this.readRest(share, path, rest, { size, etag });
    const pausesMs = this.limits.resumePausesMs;
    return { ...head, body: resumedDownload(body, { ask, range: wanted, pausesMs }) };
  }

  /** Reads a later part of the same content. @throws RemoteFailure `precondition-failed` if the content has changed */
  private async readRest(
    share: RemoteShare,
    path: NodePath,
    range: ByteRange,
    begun: { readonly size: number; readonly etag: string },
  ): Promise<Readable> {
    const rest = await this.readOnce(share, path, range, { 'if-match': `"${begun.etag}"` });
    if (rest === 'unchanged') throw unaskedNotModified(share);
    if (rest.size === begun.size && rest.etag === begun.etag) return rest.body;
    rest.body.destroy();
    throw new RemoteFailure('precondition-failed', share.hostKey, 'the content changed while it was read');
  }

  /** @returns `unchanged` for 304, which only a request with `if-none-match` gets */
  private async readOnce(
    share: RemoteShare,
    path: NodePath,
    range: ByteRange | undefined,
    condition: { readonly 'if-match'?: string; readonly 'if-none-match'?: string },
  ): Promise<RemoteContent | 'unchanged'> {
    const { hostKey } = share;
    const content = await this.contents.of(share);
    const headers: Record<string, string> = {
      ...(range && { range: `bytes=${range.start}-${range.end}` }),
      ...condition,
    };
    const { answer } = await this.ask(content, path, { method: 'GET', headers });
    try {
      if (answer.status === 304) {
        discard(answer.body);
        return 'unchanged';
      }
      if (answer.status !== 200 && answer.status !== 206)
        throw failureOfStatus(hostKey, 'read', answer, path === '');
      const sizeOf = async (): Promise<number> => (await this.probe(share, path, 0))[0]!.size;
      const { cut, ...head } = await readContentHead(hostKey, answer, range, sizeOf);
      return { ...head, body: download(answer.body, cut, hostKey, this.limits) };
    } catch (error) {
      discard(answer.body);
      throw error;
    }
  }

  /** Failures of `content` are thrown unchanged: the partner did not cause them. */
  async write(
    share: RemoteShare,
    path: NodePath,
    content: Readable,
    options: RemoteWrite = {},
  ): Promise<{ readonly created: boolean; readonly etag: string | null }> {
    return this.uploads.write(await this.contents.of(share), path, content, options);
  }

  async makeFolder(share: RemoteShare, path: NodePath): Promise<void> {
    await this.change(share, path, 'make-folder', { method: 'MKCOL' });
  }

  async remove(share: RemoteShare, path: NodePath): Promise<void> {
    await this.change(share, path, 'remove', { method: 'DELETE' });
  }

  async move(share: RemoteShare, from: NodePath, to: NodePath, overwrite: boolean): Promise<void> {
    const headersOf = ({ place }: SharedContent) => ({
      destination: addressOf(place, to),
      overwrite: overwrite ? 'T' : 'F',
    });
    await this.change(share, from, 'move', { method: 'MOVE' }, headersOf);
  }

  private async lookAt(
    content: SharedContent,
    path: NodePath,
    depth: 0 | 1,
    signal: AbortSignal,
  ): Promise<readonly RemoteEntry[]> {
    const { hostKey } = content.share;
    const request = { method: 'PROPFIND', body: PROPFIND_BODY, signal } as const;
    const headers = { depth: String(depth), 'content-type': 'application/xml; charset=utf-8' };
    const { answer, url } = await this.ask(content, path, { ...request, headers });
    if (answer.status !== 207 || isEncoded(answer)) {
      discard(answer.body);
      const isDone = answer.status >= 200 && answer.status < 300;
      throw isDone
        ? notUnderstood(hostKey, isPage(answer) ? 'a web page' : `HTTP ${answer.status} for a list`)
        : failureOfStatus(hostKey, 'probe', answer, path === '');
    }
    const responses = await readMultistatus(answer.body).catch((error: unknown) => {
      throw error instanceof MultistatusRefused
        ? notUnderstood(hostKey, `a list that cannot be read: ${error.message}`)
        : failureOfError(hostKey, error);
    });
    const entries = await readListing(responses, url, path, depth);
    if (!entries) throw notUnderstood(hostKey, 'a list of something else');
    // A public link has only this user: its server knows no other users.
    return content.share.dialect === LINK_DIALECT ? entries.map(withoutSharing) : entries;
  }

  /** Requests an entry at its path. A missing single file is requested at its other path. */
  private async ask(
    content: SharedContent,
    path: NodePath,
    request: Omit<DavRequest, 'url'>,
  ): Promise<{ answer: StreamAnswer; url: string }> {
    const url = addressOf(content.place, path);
    const answer = await this.client.send(content, { ...request, url });
    const { fileBelowRoot } = content.place;
    if (answer.status !== 404 || path !== '' || fileBelowRoot === null) return { answer, url };
    discard(answer.body);
    return {
      answer: await this.client.send(content, { ...request, url: fileBelowRoot }),
      url: fileBelowRoot,
    };
  }

  private async change(
    share: RemoteShare,
    path: NodePath,
    operation: DavOperation,
    request: Pick<DavRequest, 'method'>,
    headersOf: (content: SharedContent) => Record<string, string> = () => ({}),
  ): Promise<void> {
    const { hostKey } = share;
    // Only in its recipient's own tree can a mount be removed or renamed.
    if (path === '')
      throw new RemoteFailure(
        'forbidden',
        hostKey,
        'the root of a share stays what it is',
        undefined,
        'none',
      );
    const content = await this.contents.of(share);
    const url = addressOf(content.place, path);
    const answer = await this.client.send(content, { ...request, url, headers: headersOf(content) });
    discard(answer.body);
    if (![200, 201, 204].includes(answer.status)) throw failureOfStatus(hostKey, operation, answer, false);
    if (isPage(answer) && answer.status === 200) throw notUnderstood(hostKey, 'a web page');
  }
}

const unaskedNotModified = ({ hostKey }: RemoteShare): RemoteFailure =>
  notUnderstood(hostKey, 'HTTP 304 for a request without that condition');

const withoutSharing = (entry: RemoteEntry): RemoteEntry => ({
  ...entry,
  permissions: entry.permissions && entry.permissions & ~SHARE,
});
