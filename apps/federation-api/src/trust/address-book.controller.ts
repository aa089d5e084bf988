import { All, Controller, Req } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FederationRefused } from '#federation/protocol';
import { BudgetSpent } from '#identity';
import { Describe, EdgeReply } from '#platform';
import { Admission, RETRY_AFTER_SECONDS } from '../admission';
import { SystemAddressBook } from './system-address-book';

const PATH = 'remote.php/dav/addressbooks/system/system/system';
const EMPTY = `<?xml version="1.0" encoding="utf-8"?>
<d:multistatus xmlns:d="DAV:"><d:sync-token>http://sabre.io/ns/sync/1</d:sync-token></d:multistatus>
`;

/**
 * The address book that trusted servers fetch once a day. It is always empty, because our users are known only to the people whom
 * they invite. A 401 would tell those servers that the trust was withdrawn.
 */
@Controller()
export class AddressBookController {
  constructor(
    private readonly admission: Admission,
    private readonly book: SystemAddressBook,
  ) {}

  @All(PATH)
  @Describe('Gives a trusted server the address book of this one, which is empty. Only REPORT is answered.', {
    answers: { 207: 'The address book', 401: 'Not trusted', 405: 'Another method than REPORT' },
  })
  async report(@Req() request: FastifyRequest): Promise<EdgeReply> {
    // A REPORT arrives as SEARCH, because the framework does not know it (see createFastify).
    if (request.method !== 'SEARCH') return new BookReply(405, '', { allow: 'REPORT' });
    try {
      const { authorization } = request.headers;
      await this.admission.admitPartner(request.ip, () => this.book.partnerOf(authorization));
    } catch (error) {
      if (error instanceof BudgetSpent) return unavailable(error.retryAfterSeconds);
      if (!(error instanceof FederationRefused)) throw error;
      if (error.refusal === 'temporarily-unavailable') return unavailable(RETRY_AFTER_SECONDS);
      return new BookReply(401, '', { 'www-authenticate': 'Basic realm="federation"' });
    }
    return new BookReply(207, EMPTY, { 'content-type': 'application/xml; charset=utf-8' });
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
