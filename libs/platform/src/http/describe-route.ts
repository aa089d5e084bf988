import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/**
 * Key under which a handler keeps what the API document says of it.
 * @public read by scripts/generate/openapi.mjs
 */
export const ROUTE_DESCRIPTION = 'drawbridge:route-description';

/** A JSON Schema of named values. */
interface ObjectSchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Description of a route for the API document, beside its declaration. */
export interface RouteDescription {
  /** Effect of the call, in one sentence. */
  readonly summary: string;
  /** JSON Schema of its body, where that is not a table of OCS parameters. */
  readonly body?: ObjectSchema;
  /** Media type of the body; application/json where absent. */
  readonly bodyType?: string;
  /** JSON Schema of its query, likewise. */
  readonly query?: ObjectSchema;
  /** Meaning of its answers by HTTP status, where it does not answer in an OCS envelope. */
  readonly answers?: Readonly<Record<number, string>>;
}

/** Describes a route; one without a description fails the generation of the API document. */
export const Describe = (
  summary: string,
  more: Omit<RouteDescription, 'summary'> = {},
): CustomDecorator<string> => SetMetadata(ROUTE_DESCRIPTION, { summary, ...more });
