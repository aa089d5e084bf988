import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/**
 * Key for a handler's description in the API document.
 * @public read by scripts/generate/openapi.mjs
 */
export const ROUTE_DESCRIPTION = 'drawbridge:route-description';

/** A JSON Schema of named values. */
interface ObjectSchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Description of a route for the API document, next to its declaration. */
export interface RouteDescription {
  /** Effect of the call, in one sentence. */
  readonly summary: string;
  /** JSON Schema of its body, unless that is a table of OCS parameters. */
  readonly body?: ObjectSchema;
  /** Media type of the body; default: application/json. */
  readonly bodyType?: string;
  /** JSON Schema of its query, in the same way. */
  readonly query?: ObjectSchema;
  /** Meaning of its answers by HTTP status, if they have no OCS envelope. */
  readonly answers?: Readonly<Record<number, string>>;
}

/** Describes a route. Without a description, the generation of the API document fails. */
export const Describe = (
  summary: string,
  more: Omit<RouteDescription, 'summary'> = {},
): CustomDecorator<string> => SetMetadata(ROUTE_DESCRIPTION, { summary, ...more });
