import { Inject, Injectable } from '@nestjs/common';
import { SeenCertificates } from '#federation/client';
import { CONFIG, Metrics, presentedCertificate, PublicAddress, type Config } from '#platform';

/** Maximum of partners with their own metric series: those whose certificates end first. */
const MOST_PARTNERS = 100;
const ASKED_EVERY_MS = 3_600_000;
const HTTPS_PORT = 443;

/**
 * Metrics of the remaining lifetime of certificates: that of the public address, which every worker checks once an hour,
 * and those that partners presented to this worker.
 */
@Injectable()
export class CertificateMetrics {
  private own: { readonly askedAt: number; readonly end: Promise<Date | undefined> } | undefined;

  constructor(
    metrics: Metrics,
    seen: SeenCertificates,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    metrics.gauge(
      'certificate_seconds',
      `Time until the certificate of this instance (own) or of a partner ends; the ${MOST_PARTNERS} partners whose end first`,
      ['of', 'host'],
      async () => [
        ...(await this.ownSample()),
        ...seen.endingFirst(MOST_PARTNERS).map(({ host, end }) => sample('partner', host, end)),
      ],
    );
  }

  private async ownSample() {
    const { protocol, hostname, port } = new URL(new PublicAddress(this.config).url);
    if (protocol !== 'https:') return [];
    if (this.own === undefined || Date.now() - this.own.askedAt > ASKED_EVERY_MS)
      this.own = { askedAt: Date.now(), end: endOf(hostname, port === '' ? HTTPS_PORT : Number(port)) };
    const end = await this.own.end;
    // A server that cannot be reached is tried again at the next scrape.
    if (end === undefined) this.own = undefined;
    return end === undefined ? [] : [sample('own', hostname, end)];
  }
}

const sample = (of: 'own' | 'partner', host: string, end: Date) => ({
  labels: { of, host },
  value: (end.getTime() - Date.now()) / 1000,
});

/** undefined without a certificate: other alerts report that. */
async function endOf(host: string, port: number): Promise<Date | undefined> {
  try {
    const end = Date.parse((await presentedCertificate(host, port)).certificate.valid_to);
    return Number.isNaN(end) ? undefined : new Date(end);
  } catch {
    return undefined;
  }
}
