export { actAs, acting, actingFor, type Acting, type Actor } from './acting';
export { claimedClient } from './http/claimed-client';
export { answerSeenClient, askForSeenClient, readSeenClient, type SeenClient } from './http/seen-client';
export { boundedCache, type BoundedCache } from './bounded-cache';
export { ConfigError } from './config/config-error';
export type { BlobPlace, Cidr } from './config/parsers';
export { readConfig, refusedValues } from './config/read-config';
export { VARIABLES, type Config } from './config/table';
export type { Variable } from './config/variable';
export { Readiness } from './health/readiness';
export { pathOfTarget } from './http/canonical-target';
export { Describe } from './http/describe-route';
export { EdgeReply } from './http/edge-reply';
export { httpStatusOf } from './http/edge-exception.filter';
export { networkOf } from './http/network-of';
export { announcesBody, readBody } from './http/request-bodies';
export { RequestRefused } from './http/request-bounds';
export { ErrorPresenters, type ErrorPresenter } from './http/error-presenters';
export { Unavailable } from './http/unavailable';
export { serve, type RunningApp, type ServeOptions } from './http/serve';
export { explainFailure } from './boot-failure';
export {
  alternativesOf,
  appServing,
  isAnonymousPath,
  PATH_TABLE,
  type PathRow,
  type ServingApp,
} from './path-table';
export { createLogger, type Logger } from './logging';
export { OutageLog } from './outage-log';
export { Metrics, type Sample } from './metrics/metrics';
export { PlatformModule } from './platform.module';
export { PublicAddress } from './public-address';
export { endWith, runService } from './run-service';
export { KEY_FILE_NAME, readEncryptionKey, readPreviousKey } from './secrets/encryption-key';
export { randomToken } from './secrets/random-token';
export { SecretBox, SecretUnreadable } from './secrets/secret-box';
export { onStopSignals } from './stop-signals';
export { CONFIG, LOGGER } from './tokens';
export { inSpan } from './tracing/in-span';
export { currentOrigin, originText, readOrigin, withOrigin, withoutOrigin } from './tracing/origin';
export type { NewSpan, Span, SpanAttributes, SpanDetails } from './tracing/span';
export { writeTraceparent } from './tracing/trace-context';
export { Tracing } from './tracing/tracing';
export { PRODUCT_NAME, PRODUCT_VERSION, PROTOCOL_VERSION } from './version';
export { BudgetSpent, WorkBudget } from './work-budget';
