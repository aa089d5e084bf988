import type { Language } from '#pages';

/** A request for a link's page. */
export interface LinkVisit {
  readonly token: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly address: string;
  /** `Cookie` header, which may contain a session of this server. */
  readonly cookies: string | undefined;
  readonly language: Language;
}
