import { Inject, Injectable } from '@nestjs/common';
import { AddressBookCalls } from '#federation/client';
import { readAddressBook, type AddressBookPorts, type DueAddressBook } from '#federation/exchange';
import { PartnerAddressBookRepository, type PeerRow } from '#persistence';
import { LOGGER, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { CalledPartners } from '../partners/called-partners';

const AT_ONCE = 4;

/** Reads the address books of trusted partners, where an administrator allows it. */
@Injectable()
export class PartnerAddressBooks implements AddressBookPorts<PeerRow> {
  private readonly logger: Logger;

  constructor(
    readonly books: PartnerAddressBookRepository,
    readonly partners: CalledPartners,
    readonly calls: AddressBookCalls,
    readonly policy: CachedPolicy,
    readonly secrets: SecretBox,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'trust' });
  }

  async round(): Promise<void> {
    const { exchangeAddressBooks } = (await this.policy.current()).federation;
    const due = await this.books.claim(exchangeAddressBooks, AT_ONCE);
    await Promise.all(due.map((book) => this.read(book)));
  }

  private async read(book: DueAddressBook): Promise<void> {
    const reading = await readAddressBook(this, book);
    const { hostKey: partner } = book;
    if (reading.kind === 'failed')
      this.logger.warn({ partner, reason: reading.reason }, 'an address book could not be read');
    else
      this.logger.info(
        { partner, changed: reading.changed, removed: reading.removed },
        'read an address book',
      );
  }
}
