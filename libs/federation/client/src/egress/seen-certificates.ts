import { Injectable } from '@nestjs/common';
import type { PeerCertificate } from 'node:tls';
import { boundedCache } from '#platform';

/** Maximum number of remembered partners. */
const PARTNERS = 10_000;

/** Expiry of the certificates that partners presented to this process. */
@Injectable()
export class SeenCertificates {
  private readonly ends = boundedCache<number>(PARTNERS);

  /** A certificate without a readable time is ignored. */
  saw(host: string, { valid_to: end }: Partial<Pick<PeerCertificate, 'valid_to'>>): void {
    const time = Date.parse(end ?? '');
    if (!Number.isNaN(time)) this.ends.set(host, time);
  }

  /** Certificates in the order of their expiry. @param count maximum number */
  endingFirst(count: number): { host: string; end: Date }[] {
    return [...this.ends.entries()]
      .sort(([, one], [, other]) => one - other)
      .slice(0, count)
      .map(([host, end]) => ({ host, end: new Date(end) }));
  }
}
