import { Controller, Get } from '@nestjs/common';
import { PlainReply } from './plain-reply';

/** The address that the web app's first page will have. */
@Controller()
export class LandingController {
  @Get('/')
  nothingHere(): PlainReply {
    return new PlainReply(404, 'There is no page here.');
  }
}
