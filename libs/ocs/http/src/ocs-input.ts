import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ParameterRefused, readInput, type InputFields } from '#ocs/protocol';
import { OcsFailure } from './ocs-failure';
import { parametersOf } from './ocs-request';

/** Passes a handler its parameters, read by a table that also documents them. A refused parameter is a 400. */
export const OcsInput = createParamDecorator((fields: InputFields, context: ExecutionContext) => {
  try {
    return readInput(fields, parametersOf(context.switchToHttp().getRequest<FastifyRequest>()));
  } catch (error) {
    throw error instanceof ParameterRefused ? new OcsFailure(400, error.message) : error;
  }
});
