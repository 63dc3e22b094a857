#ifndef itkBrickMacro_h
#define itkBrickMacro_h

#include "itkMacro.h"

/** Gives a class GetNameOfClass. ITK's macro for this has another name from 5.4 on, which 5.2 does not know and the
 * next major version will insist on. */
#ifdef itkOverrideGetNameOfClassMacro
#  define itkBrickNameOfClassMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkBrickNameOfClassMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

#endif
