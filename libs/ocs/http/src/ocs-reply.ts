import type { FastifyReply } from 'fastify';
import { OCS, renderEnvelope, type Envelope, type OcsValue, type RenderedData } from '#ocs/protocol';
import { EdgeReply } from '#platform';
import { formatOf, styleOf, versionOf } from './ocs-request';

const NO_CACHE = 'no-cache, no-store, must-revalidate';
const CONTENT_SECURITY = "default-src 'none'; frame-ancestors 'none'";

/** A reply in the OCS envelope, in the version and format of its request. */
export class OcsReply extends EdgeReply {
  constructor(
    readonly code: number,
    readonly message: string | null,
    readonly data: OcsValue | RenderedData,
    readonly style?: Envelope['style'],
  ) {
    super();
  }

  override write(reply: FastifyReply): void {
    const { request } = reply;
    const style = this.style ?? styleOf(request);
    const rendered = renderEnvelope({ ...this, style }, versionOf(request.url), formatOf(request));
    void reply
      .code(rendered.httpStatus)
      .header('content-type', rendered.contentType)
      .header('cache-control', NO_CACHE)
      .header('content-security-policy', CONTENT_SECURITY)
      .header('x-content-type-options', 'nosniff')
      .send(rendered.body);
  }
}

/** Success with a null message, as shares and provisioning answer. */
export const ok = (data: OcsValue | RenderedData = []): OcsReply => new OcsReply(OCS.OK, null, data);

/** Success with the message `OK`, as capabilities, sharees and cloud/user answer. */
export const okWithMessage = (data: OcsValue | RenderedData): OcsReply => new OcsReply(OCS.OK, 'OK', data);
