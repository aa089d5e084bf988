import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '#platform';
import type { FoundLink } from './link-access';

const VALID_FOR_MS = 30 * 60_000;

/** Query parameters for reading a link's files without its password, with the names of deployed servers. */
export interface LinkSignature {
  readonly signature: string;
  /** ISO 8601. */
  readonly expires: string;
}

/** `read`: addresses of contents and pages. `upload`: adding files, if the link allows it. */
export type LinkPurpose = 'read' | 'upload';

/**
 * Signs addresses below a protected link for half an hour, so that a page can offer downloads to visitors who entered the
 * password, without storing it. A change of the password invalidates them.
 */
@Injectable()
export class LinkSignatures {
  constructor(private readonly secrets: SecretBox) {}

  /** A signature for reading, after the password was entered. Only this begins a new half hour. */
  sign(link: FoundLink): LinkSignature {
    return this.signUntil(link, 'read', new Date(Date.now() + VALID_FOR_MS).toISOString());
  }

  /** A signature for a purpose that is valid as long as another one, which was presented. */
  signAs(link: FoundLink, purpose: LinkPurpose, { expires }: LinkSignature): LinkSignature {
    return this.signUntil(link, purpose, expires);
  }

  /** The signature of a query, if it is valid now. */
  read(
    link: FoundLink,
    query: Readonly<Record<string, unknown>>,
    purpose: LinkPurpose = 'read',
  ): LinkSignature | undefined {
    const given = this.readExpired(link, query, purpose);
    return given && Date.parse(given.expires) > Date.now() ? given : undefined;
  }

  /**
   * The same, but also if it has expired: an upload that it began can be continued and answered until it expires itself, because a large
   * file may need longer than half an hour. A change of the password ends that too.
   */
  readExpired(
    link: FoundLink,
    { signature, expires }: Readonly<Record<string, unknown>>,
    purpose: LinkPurpose,
  ): LinkSignature | undefined {
    if (typeof signature !== 'string' || typeof expires !== 'string') return undefined;
    const given = Buffer.from(signature, 'hex');
    const expected = this.compute(link, expires, purpose);
    return given.length === expected.length && timingSafeEqual(given, expected)
      ? { signature, expires }
      : undefined;
  }

  private signUntil(link: FoundLink, purpose: LinkPurpose, expires: string): LinkSignature {
    return { signature: this.compute(link, expires, purpose).toString('hex'), expires };
  }

  private compute({ row }: FoundLink, expires: string, purpose: LinkPurpose): Buffer {
    return this.secrets.lookup(`${purpose} link\n${row.shareId}\n${row.passwordHash}\n${expires}`);
  }
}
