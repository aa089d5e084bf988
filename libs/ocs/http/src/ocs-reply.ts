import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import {
  envelopeFrame,
  isStreamed,
  OCS,
  renderEnvelope,
  type Envelope,
  type EnvelopeFrame,
  type OcsData,
  type OcsFormat,
  type OcsValue,
  type OcsVersion,
  type RenderedData,
  type RenderedEnvelope,
} from '#ocs/protocol';
import { EdgeReply } from '#platform';
import { formatOf, styleOf, versionOf } from './ocs-request';

export const NO_CACHE = 'no-cache, no-store, must-revalidate';

/** A reply in the OCS envelope, in the version and format of its request. */
export class OcsReply extends EdgeReply {
  constructor(
    readonly code: number,
    readonly message: string | null,
    readonly data: OcsData,
    readonly style?: Envelope['style'],
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  /** The same reply with further headers. */
  withHeaders(headers: Readonly<Record<string, string>>): OcsReply {
    return new OcsReply(this.code, this.message, this.data, this.style, headers);
  }

  override write(reply: FastifyReply): void {
    const { request } = reply;
    const { code, message, data } = this;
    const head = { code, message, style: this.style ?? styleOf(request) };
    const [version, format] = [versionOf(request.url), formatOf(request)];
    if (isStreamed(data)) {
      const frame = envelopeFrame(head, version, format);
      // Each piece is made only after the one before was sent.
      this.begin(reply, frame).send(Readable.from(around(frame, data.pieces(format)), { highWaterMark: 1 }));
    } else {
      const rendered = renderEnvelope({ ...head, data }, version, format);
      this.begin(reply, rendered).send(rendered.body);
    }
  }

  private begin(
    reply: FastifyReply,
    { httpStatus, contentType }: Pick<EnvelopeFrame, 'httpStatus' | 'contentType'>,
  ) {
    return withStandardHeaders(reply.code(httpStatus), contentType).headers(this.headers);
  }
}

/**
 * A reply whose data never change: made once for each version and format. It is kept as text, not as bytes: Node sends
 * text together with its header, but bytes in a second write, which costs more than the encoding.
 */
export class PreparedReply extends EdgeReply {
  private readonly prepared = new Map<string, RenderedEnvelope>();

  constructor(private readonly envelope: Envelope) {
    super();
  }

  override write(reply: FastifyReply): void {
    const { request } = reply;
    const rendered = this.prepare(versionOf(request.url), formatOf(request));
    void withStandardHeaders(reply.code(rendered.httpStatus), rendered.contentType).send(rendered.body);
  }

  private prepare(version: OcsVersion, format: OcsFormat): RenderedEnvelope {
    const key = `${version} ${format}`;
    let known = this.prepared.get(key);
    if (!known) {
      known = renderEnvelope(this.envelope, version, format);
      this.prepared.set(key, known);
    }
    return known;
  }
}

function withStandardHeaders(reply: FastifyReply, contentType: string): FastifyReply {
  return reply.header('content-type', contentType).header('cache-control', NO_CACHE);
}

async function* around(
  { before, after }: EnvelopeFrame,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield before;
  yield* pieces;
  yield after;
}

/** Success with a null message, as shares and provisioning answer. */
export const ok = (data: OcsData = []): OcsReply => new OcsReply(OCS.OK, null, data);

/** Success with the message `OK`, as sharees and cloud/user answer. */
export const okWithMessage = (data: OcsValue | RenderedData): OcsReply => new OcsReply(OCS.OK, 'OK', data);
