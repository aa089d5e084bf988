import { AppPasswordRefused, type AppPasswordRefusal } from '#identity';
import { OcsFailure } from '#ocs/http';

const CODES: Readonly<Record<AppPasswordRefusal, number>> = {
  'name-refused': 400,
  'scopes-refused': 400,
  'expiry-refused': 400,
  'too-many': 403,
  unknown: 404,
};

export function appPasswordFailure(error: unknown): OcsFailure | undefined {
  return error instanceof AppPasswordRefused ? new OcsFailure(CODES[error.reason], error.message) : undefined;
}
