import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, DownloadGuard } from '#identity';
import { announcesBody, readBody } from '#platform';

/** Of the names of many thousand files. */
const MAX_FORM_BYTES = 1024 * 1024;

/**
 * The same as DownloadGuard, but also admits the form with which our own page names the chosen files. The form has the
 * token of the session in a field.
 */
@Injectable()
export class ChosenDownloadGuard implements CanActivate {
  constructor(
    private readonly accounts: AccountGuard,
    private readonly downloads: DownloadGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.method !== 'POST') return this.downloads.canActivate(context);
    await this.accounts.admit(context, async ({ headers }) => {
      await takeForm(request);
      return headers.requesttoken ?? fieldsOf(request).get('requesttoken');
    });
    await takeForm(request);
    return true;
  }
}

async function takeForm(request: FastifyRequest): Promise<void> {
  if (Buffer.isBuffer(request.body) || !announcesBody(request.raw)) return;
  request.body = await readBody(request, MAX_FORM_BYTES);
}

const fieldsOf = ({ body }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
