import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
/** Allowed difference of clocks, in periods. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const CODE = /^\d{6}$/;
const ISSUER = 'Drawbridge';

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({
    issuer: ISSUER,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
  });

/** A new secret for an app: 160 random bits in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Address of the secret for an app, as in a QR code. @param account name that the app displays */
export const totpAddress = (secret: string, account: string): string => totpOf(secret, account).toString();

/** Whether a text has the form of a code; people may group its digits. */
export const isLikeTotpCode = (text: string): boolean => CODE.test(withoutSpaces(text));

/**
 * The period of a code (RFC 6238, SHA-1, six digits): the present one or one of its two neighbours.
 * @param at milliseconds since 1970
 * @returns periods of 30 seconds since 1970; undefined for a wrong code
 */
export function stepOfCode(secret: string, code: string, at: number): number | undefined {
  const token = withoutSpaces(code);
  if (!CODE.test(token)) return undefined;
  const delta = totpOf(secret).validate({ token, timestamp: at, window: WINDOW });
  return delta === null ? undefined : Math.floor(at / 1000 / PERIOD_SECONDS) + delta;
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '');
