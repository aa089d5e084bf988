import type { Readable } from 'node:stream';
import { PROPFIND_BODY, readEtag } from '#federation/protocol';
import { RemoteFailure, type RemoteWrite } from '#federation/remote-files';
import type { NodePath } from '#sharing';
import type { StreamAnswer } from '../egress/guarded-client';
import { isPage } from './content-answer';
import { discard, type ContentClient, type UsedCredentials } from './content-client';
import { failureOfStatus, notUnderstood } from './remote-failures';
import { addressOf, type SharedContent } from './shared-content';
import { Upload, type UploadLimits } from './upload';

/** Writes files to partners. Content can be sent only once, so the credentials that work are found out first. */
export class PartnerUploads {
  constructor(
    private readonly client: ContentClient,
    private readonly limits: UploadLimits,
  ) {}

  /** @throws RemoteFailure, and errors of `source` */
  async write(
    content: SharedContent,
    path: NodePath,
    source: Readable,
    options: RemoteWrite,
  ): Promise<{ readonly created: boolean; readonly etag: string | null }> {
    const { hostKey } = content.share;
    const opened = this.client.knownCredentials(content) ?? (await this.tryOut(content));
    const { answer, isComplete } = await this.send(content, path, source, options, opened);
    discard(answer.body);
    if (answer.status === 401) throw await this.failureOfRefusedCredentials(content);
    if (![200, 201, 204].includes(answer.status))
      throw failureOfStatus(hostKey, 'write', answer, path === '');
    if (isPage(answer) && answer.status === 200) throw notUnderstood(hostKey, 'a web page');
    if (!isComplete) throw notUnderstood(hostKey, 'an answer before the end of the content');
    const etag = readEtag(answer.headers['oc-etag'] ?? answer.headers.etag ?? '') ?? null;
    return { created: answer.status === 201, etag };
  }

  private async send(
    content: SharedContent,
    path: NodePath,
    source: Readable,
    options: RemoteWrite,
    opened: UsedCredentials,
  ): Promise<{ answer: StreamAnswer; isComplete: boolean }> {
    const upload = new Upload(source, content.share.hostKey, this.limits, options.size);
    const { body, signal } = upload;
    const url = addressOf(content.place, path);
    try {
      const request = { method: 'PUT', url, headers: headersOf(options), body, signal } as const;
      const answer = await this.client.sendOnce(content, request, opened);
      return { answer, isComplete: upload.isComplete };
    } catch (error) {
      throw upload.sourceFailure ?? error;
    } finally {
      upload.settle();
    }
  }

  private async tryOut(content: SharedContent): Promise<UsedCredentials> {
    const url = addressOf(content.place, '' as NodePath);
    const headers = { depth: '0', 'content-type': 'application/xml; charset=utf-8' };
    const { answer, credentials: opened } = await this.client.open(content, {
      method: 'PROPFIND',
      url,
      headers,
      body: PROPFIND_BODY,
    });
    discard(answer.body);
    if (!opened) throw failureOfStatus(content.share.hostKey, 'probe', answer, true);
    return opened;
  }

  /** The credentials worked a moment ago and no longer do: the share has ended, or another key will work next time. */
  private async failureOfRefusedCredentials(content: SharedContent): Promise<RemoteFailure> {
    await this.tryOut(content);
    return new RemoteFailure('unreachable', content.share.hostKey, 'HTTP 401 in the middle');
  }
}

function headersOf({ size, mtime, expects }: RemoteWrite): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    ...(size === undefined ? {} : { 'content-length': String(size) }),
    // Other servers refuse a file with a time before 1970.
    ...(mtime && mtime.getTime() >= 0 ? { 'x-oc-mtime': String(Math.floor(mtime.getTime() / 1000)) } : {}),
    ...(expects === null ? { 'if-none-match': '*' } : {}),
    ...(typeof expects === 'string' ? { 'if-match': `"${expects}"` } : {}),
  };
}
