import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readInput, type InputFields } from '#ocs/protocol';
import { parametersOf } from './ocs-request';

/** Hands a handler its parameters, read by their table, from which they are documented too. */
export const OcsInput = createParamDecorator((fields: InputFields, context: ExecutionContext) =>
  readInput(fields, parametersOf(context.switchToHttp().getRequest<FastifyRequest>())),
);
