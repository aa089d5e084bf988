import { PublicAddress, presentedCertificate, type PresentedCertificate } from '#platform';
import { failed, ok, warning, type Check, type Finding } from './finding';

const DAY_MS = 24 * 3_600_000;
/** Certificates with automatic renewal are renewed earlier than this. */
const SOON_DAYS = 21;
const HTTPS_PORT = 443;

/** Checks whether the certificate of the public address is trusted, and for how long. */
export const CERTIFICATE_CHECK: Check = {
  name: 'certificate',
  look: async ({ config }) => {
    const { protocol, hostname, port } = new URL(new PublicAddress(config).url);
    if (protocol !== 'https:') return [];
    return judgeCertificate(await presentedCertificate(hostname, port === '' ? HTTPS_PORT : Number(port)));
  },
};

const ADVICE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Renew it: no partner and no client connects any more.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Get one for the host of PUBLIC_URL.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Have the proxy present the intermediate certificates too.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Have the proxy present the intermediate certificates too.',
};

/** Findings about a server's certificate. */
export function judgeCertificate(
  { certificate, objection }: PresentedCertificate,
  now = Date.now(),
): Finding[] {
  const days = Math.floor((Date.parse(certificate.valid_to) - now) / DAY_MS);
  const seen = `by ${[certificate.issuer.O ?? certificate.issuer.CN].flat()[0]}, ${days} days left`;
  if (objection !== undefined)
    return [
      failed(
        'trust',
        objection,
        ADVICE[objection] ?? 'Get one of an authority that is known everywhere: partners refuse this one.',
      ),
    ];
  return days < SOON_DAYS
    ? [warning('validity', seen, 'Renew it, and see why that did not happen by itself.')]
    : [ok('validity', seen)];
}
