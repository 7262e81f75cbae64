/*
 * vforked - to be called after a child that shared our memory has executed another program.
 *
 * The child never returned from the functions it called, so AddressSanitizer still marks their variables on our stack;
 * without AddressSanitizer there is nothing to do.
 */
#ifndef SPUR_STEP_VFORKED_H
#define SPUR_STEP_VFORKED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VFORKED_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define VFORKED_ASAN 1
#endif

#ifdef VFORKED_ASAN
void __asan_handle_no_return(void);
#define vforked() __asan_handle_no_return()
#else
#define vforked() ((void)0)
#endif

#endif
