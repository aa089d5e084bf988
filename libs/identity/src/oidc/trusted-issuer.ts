import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, PRODUCT_NAME, type Config } from '#platform';
import { Issuer } from './issuer';
import { oidcSettings, type OidcSettings } from './oidc-settings';

/** The configured issuer, if any. Throws ConfigError if its settings contradict each other. */
@Injectable()
export class TrustedIssuer {
  readonly issuer: Issuer | undefined;
  readonly settings: OidcSettings | undefined;

  constructor(@Inject(CONFIG) config: Config) {
    this.settings = oidcSettings(config);
    this.issuer = this.settings && new Issuer(this.settings.issuer);
  }

  /** Whether people sign in to the pages there. */
  get signsBrowsersIn(): boolean {
    return this.settings?.client !== undefined;
  }

  /** Value of `WWW-Authenticate`: ownCloud's clients look for `Bearer` in it before they ask for passwords. */
  challenge(others: string): string | string[] {
    return this.issuer ? [`Bearer realm="${PRODUCT_NAME}"`, others] : others;
  }
}
