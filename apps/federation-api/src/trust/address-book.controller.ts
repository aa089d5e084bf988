import { All, Controller, Req } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FederationRefused } from '#federation/protocol';
import { BudgetSpent } from '#identity';
import { Describe, EdgeReply, readBody } from '#platform';
import { DavFailure, parseSyncToken } from '#storage';
import { Admission, RETRY_AFTER_SECONDS } from '../admission';
import { SystemAddressBook } from './system-address-book';

const PATH = 'remote.php/dav/addressbooks/system/system/system';
const MAX_REPORT_BYTES = 16 * 1024;
/** RFC 6578, 3.2: the client reads everything again. */
const UNKNOWN_TOKEN = `<?xml version="1.0" encoding="utf-8"?>
<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>
`;

/**
 * The address book that trusted servers read once a day. It has only accounts that agreed to it, and none where the exchange is off. A
 * 401 would tell those servers that the trust was withdrawn.
 */
@Controller()
export class AddressBookController {
  constructor(
    private readonly admission: Admission,
    private readonly book: SystemAddressBook,
  ) {}

  @All(PATH)
  @Describe('Gives a trusted server the changes of the address book of this one. Only REPORT is answered.', {
    answers: {
      207: 'The changes since the token',
      400: 'No report',
      401: 'Not trusted',
      403: 'An unknown token',
      405: 'Another method than REPORT',
    },
  })
  async report(@Req() request: FastifyRequest): Promise<EdgeReply> {
    // A REPORT arrives as SEARCH, because the framework does not know it (see createFastify).
    if (request.method !== 'SEARCH') return new BookReply(405, '', { allow: 'REPORT' });
    return this.toPartner(request, async () => {
      const token = tokenIn((await readBody(request, MAX_REPORT_BYTES)).toString('utf8'));
      if (token === undefined) return new BookReply(400, '', {});
      const changes = await this.book.changesSince(token);
      return changes === undefined
        ? new BookReply(403, UNKNOWN_TOKEN, XML)
        : new BookReply(207, changes, XML);
    });
  }

  @All(`${PATH}/:name`)
  @Describe('Gives a trusted server a card of the address book. Only GET is answered.', {
    answers: {
      200: 'The card',
      401: 'Not trusted',
      404: 'No such card, or its account does not want to be in the book any more',
      405: 'Another method than GET',
    },
  })
  async card(@Req() request: FastifyRequest): Promise<EdgeReply> {
    if (request.method !== 'GET') return new BookReply(405, '', { allow: 'GET' });
    return this.toPartner(request, async () => {
      const { name } = request.params as { readonly name: string };
      const card = await this.book.card(name);
      return card
        ? new BookReply(200, card.text, { 'content-type': 'text/vcard; charset=utf-8', etag: card.etag })
        : new BookReply(404, '', {});
    });
  }

  private async toPartner(request: FastifyRequest, answer: () => Promise<EdgeReply>): Promise<EdgeReply> {
    try {
      const { authorization } = request.headers;
      await this.admission.admitPartner(request.ip, () => this.book.partnerOf(authorization));
    } catch (error) {
      if (error instanceof BudgetSpent) return unavailable(error.retryAfterSeconds);
      if (!(error instanceof FederationRefused)) throw error;
      if (error.refusal === 'temporarily-unavailable') return unavailable(RETRY_AFTER_SECONDS);
      return new BookReply(401, '', { 'www-authenticate': 'Basic realm="federation"' });
    }
    return answer();
  }
}

const XML = { 'content-type': 'application/xml; charset=utf-8' };

/** @returns the token of a report; empty for a client without one; undefined for a body that is no report of changes */
function tokenIn(body: string): string | undefined {
  try {
    return parseSyncToken(body);
  } catch (error) {
    if (error instanceof DavFailure) return undefined;
    throw error;
  }
}

const unavailable = (seconds: number): BookReply =>
  new BookReply(503, '', { 'retry-after': String(seconds) });

class BookReply extends EdgeReply {
  constructor(
    private readonly status: number,
    private readonly body: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply.code(this.status).headers(this.headers).send(Buffer.from(this.body));
  }
}
