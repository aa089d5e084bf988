import { Injectable } from '@nestjs/common';
import type { PeerCertificate } from 'node:tls';
import { boundedCache } from '#platform';

/** Partners that are remembered at most. */
const PARTNERS = 10_000;

/** Until when the certificates hold that partners presented to this process. */
@Injectable()
export class SeenCertificates {
  private readonly ends = boundedCache<number>(PARTNERS);

  /** A certificate without a time that can be read says nothing. */
  saw(host: string, { valid_to: end }: Partial<Pick<PeerCertificate, 'valid_to'>>): void {
    const time = Date.parse(end ?? '');
    if (!Number.isNaN(time)) this.ends.set(host, time);
  }

  /** Those that end first, first. @param count how many at most */
  endingFirst(count: number): { host: string; end: Date }[] {
    return [...this.ends.entries()]
      .sort(([, one], [, other]) => one - other)
      .slice(0, count)
      .map(([host, end]) => ({ host, end: new Date(end) }));
  }
}
