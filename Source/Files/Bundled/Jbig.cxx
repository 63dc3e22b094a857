// SPDX-License-Identifier: Apache-2.0
// The libjbig of packages. Debian's, which its libtiff loads for black-and-white faxes, is under the GNU General Public
// License. This one refuses every image; what libtiff calls besides does nothing.
extern "C" const char *
jbg_strerror()
{
  return "this package does not include JBIG; convert the file to another compression";
}

extern "C" int
jbg_dec_in()
{
  return 1;
}

#define BRICKCCL_NOTHING(name)                                                                                         \
  extern "C" void name() {}
BRICKCCL_NOTHING(jbg_dec_free)
BRICKCCL_NOTHING(jbg_dec_getimage)
BRICKCCL_NOTHING(jbg_dec_getsize)
BRICKCCL_NOTHING(jbg_dec_init)
BRICKCCL_NOTHING(jbg_enc_free)
BRICKCCL_NOTHING(jbg_enc_init)
BRICKCCL_NOTHING(jbg_enc_out)
BRICKCCL_NOTHING(jbg_newlen)
